package io.hirundo.stores3.internal;

import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Checkpoint store {@code s3}: remote copies in a bucket of Amazon S3 or of any server with its protocol. */
@Component
@HirundoStrategy(kind = "checkpoint-store", name = "s3")
public final class S3Factory implements StrategyFactory<S3Options, CheckpointStore> {
    @Override
    public CheckpointStore create(S3Options options) {
        // A configuration must not contain secrets: the options name environment variables.
        var connection = new Connection(options, System.getenv()::get);
        return run -> new S3Session(connection.open(Connection.httpClient(options)), options, run);
    }
}
