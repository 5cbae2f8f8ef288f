package io.hirundo.storefolder.internal;

import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.nio.file.Path;
import org.osgi.service.component.annotations.Component;

/** Checkpoint store {@code folder}: remote copies on another file system. */
@Component
@HirundoStrategy(kind = "checkpoint-store", name = "folder")
public final class FolderFactory implements StrategyFactory<FolderOptions, CheckpointStore> {
    @Override
    public CheckpointStore create(FolderOptions options) {
        Path root = Path.of(options.path()).toAbsolutePath().normalize();
        return run -> new FolderSession(root, run);
    }
}
