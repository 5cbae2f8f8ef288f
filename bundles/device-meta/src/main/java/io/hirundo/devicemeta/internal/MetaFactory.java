package io.hirundo.devicemeta.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.devicemeta.internal.kernel.MetaKernels;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Device {@code meta}. */
@Component
@HirundoStrategy(kind = "device", name = "meta")
public final class MetaFactory implements StrategyFactory<MetaOptions, ComputeBackend> {
    @Override
    public ComputeBackend create(MetaOptions options) {
        boolean isPowerOfTwo = options.alignmentBytes() > 0 && Long.bitCount(options.alignmentBytes()) == 1;
        require("alignmentBytes", options.alignmentBytes(), isPowerOfTwo, "a power of two");
        require("workspaceBytes", options.workspaceBytes(), options.workspaceBytes() >= 0, "at least 0");
        require("memoryBytes", options.memoryBytes(), options.memoryBytes() >= 0, "at least 0, which means no limit");
        MetaKernels.named(options.missingKernels());
        return new MetaBackend(options);
    }

    private static void require(String name, long value, boolean allowed, String what) {
        if (!allowed) {
            throw new ConfigurationException(
                    "device.options." + name + ": " + value + " is wrong (allowed: " + what + ")");
        }
    }
}
