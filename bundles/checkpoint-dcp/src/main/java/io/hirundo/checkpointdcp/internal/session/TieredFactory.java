package io.hirundo.checkpointdcp.internal.session;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.memory.MemoryOptions;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Checkpoint strategy {@code dcp-tiered}: as {@code dcp-async}, but most checkpoints go to the memory of two nodes. */
@Component
@HirundoStrategy(kind = "checkpoint", name = "dcp-tiered")
public final class TieredFactory implements StrategyFactory<TieredOptions, CheckpointStrategy> {
    private static final String MEMORY = OptionsCheck.STRATEGY + ".memory";

    private final String createdBy;

    @Activate
    public TieredFactory(BundleContext context) {
        this.createdBy = context.getBundle().getSymbolicName() + " "
                + context.getBundle().getVersion();
    }

    @Override
    public CheckpointStrategy create(TieredOptions options) {
        OptionsCheck.check(OptionsCheck.STRATEGY + ".durable", options.durable());
        MemoryOptions memory = options.memory();
        OptionsCheck.require(
                OptionsCheck.STRATEGY,
                "durableEvery",
                options.durableEvery(),
                options.durableEvery() >= 1,
                "at least 1");
        OptionsCheck.require(MEMORY, "keep", memory.keep(), memory.keep() >= 1, "at least 1");
        OptionsCheck.require(MEMORY, "peerDistance", memory.peerDistance(), memory.peerDistance() >= 0, "at least 0");
        if (!Files.isWritable(Path.of(memory.directory()))) {
            throw new ConfigurationException(MEMORY + ".directory: " + memory.directory()
                    + " is no folder that can be written; give one of a file system in memory (tmpfs)");
        }
        return context -> DcpSession.tiered(context, options, createdBy, new DiskOperations());
    }
}
