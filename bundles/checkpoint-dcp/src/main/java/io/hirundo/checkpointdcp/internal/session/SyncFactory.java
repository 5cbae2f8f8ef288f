package io.hirundo.checkpointdcp.internal.session;

import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Checkpoint strategy {@code sync}: training waits until the checkpoint is on disk. */
@Component
@HirundoStrategy(kind = "checkpoint", name = "sync")
public final class SyncFactory implements StrategyFactory<SyncOptions, CheckpointStrategy> {
    private final String createdBy;

    @Activate
    public SyncFactory(BundleContext context) {
        this.createdBy = context.getBundle().getSymbolicName() + " "
                + context.getBundle().getVersion();
    }

    @Override
    public CheckpointStrategy create(SyncOptions options) {
        OptionsCheck.check(OptionsCheck.STRATEGY, options.retention(), options.chunkBytes());
        return context -> DcpSession.sync(context, options, createdBy, new DiskOperations());
    }
}
