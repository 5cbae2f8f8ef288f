package __package__;

import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.nio.file.Path;
import org.osgi.service.component.annotations.Component;

/** Provides the checkpoint store {@code __name__}. Hirundo finds it by its annotations when the jar is in plugins/. */
@Component
@HirundoStrategy(kind = "checkpoint-store", name = "__name__")
public final class __Name__Factory implements StrategyFactory<__Name__Options, CheckpointStore> {
    /** Touches no file: sessions do. */
    @Override
    public CheckpointStore create(__Name__Options options) {
        Path root = Path.of(options.path()).toAbsolutePath().normalize();
        return run -> new __Name__Session(root, run);
    }
}
