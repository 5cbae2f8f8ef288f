package io.hirundo.devicecpu.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.gemm.library.GemmChoice;
import io.hirundo.kernel.host.GemmLibrary;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import java.util.List;
import java.util.Set;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** Offers the processors of this machine as the device {@code cpu}. */
@Component
@HirundoStrategy(kind = "device", name = "cpu")
public final class CpuBackendFactory implements StrategyFactory<CpuOptions, ComputeBackend> {
    /** An open device keeps what it has chosen, so a library may leave while it is used. */
    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    private volatile List<GemmLibrary> libraries = List.of();

    @Override
    public ComputeBackend create(CpuOptions options) {
        if (options.workers() < 0) {
            throw new ConfigurationException(
                    "device cpu: workers must be 0 (all cores) or more, not " + options.workers());
        }
        if (!Set.of(CpuOptions.VECTOR, CpuOptions.REFERENCE).contains(options.kernels())) {
            throw new ConfigurationException(
                    "device cpu: kernels must be vector or reference, not '" + options.kernels() + "'");
        }
        List<GemmLibrary> offered = List.copyOf(libraries);
        if (!Set.of(GemmChoice.AUTO, GemmChoice.VECTOR).contains(options.gemm())) {
            GemmChoice.of(options.gemm(), offered);
        }
        return new CpuBackend(options, offered);
    }
}
