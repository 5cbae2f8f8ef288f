package io.hirundo.stores3.internal;

import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.testkit.CheckpointStoreContract;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.checkpoint.StoredBytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

@HirundoContract
class S3ContractTest implements CheckpointStoreContract {
    private Server server;

    @BeforeEach
    void start() {
        server = new Server();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Override
    public CheckpointStore store() {
        S3Options options = server.options();
        return run -> new S3Session(Server.connection(options).open(Connection.httpClient(options)), options, run);
    }

    @Override
    public StoredBytes stored() {
        return server;
    }
}
