package io.hirundo.checkpointdcp.internal.session;

import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Checkpoint strategy {@code dcp-async}: training waits until its state is in host memory, and continues during the write. */
@Component
@HirundoStrategy(kind = "checkpoint", name = "dcp-async")
public final class AsyncFactory implements StrategyFactory<AsyncOptions, CheckpointStrategy> {
    private final String createdBy;

    @Activate
    public AsyncFactory(BundleContext context) {
        this.createdBy = context.getBundle().getSymbolicName() + " "
                + context.getBundle().getVersion();
    }

    @Override
    public CheckpointStrategy create(AsyncOptions options) {
        OptionsCheck.check(OptionsCheck.STRATEGY, options);
        return context -> DcpSession.async(context, options, createdBy, new DiskOperations());
    }
}
