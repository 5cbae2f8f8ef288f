package io.hirundo.testkit.scalar;

import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels;
import io.hirundo.kernel.provider.KernelProvider;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A scalar device in host memory: what contracts need of a device, without optimizations. Thread-safe. Kernels for {@code cpu} run on it. */
public final class ScalarBackend implements ComputeBackend {
    static final MemoryProfile PROFILE = new MemoryProfile("testkit", 64, 0);
    static final DeviceInfo INFO = new DeviceInfo("testkit", 0, "plain loops", "Java", Long.MAX_VALUE);

    private final List<KernelProvider<?>> further;

    public ScalarBackend() {
        this(List.of());
    }

    /**
     * With further kernel families, for tests of layers that need them.
     *
     * @param further one for each family; a composed one after those that it looks up
     */
    public ScalarBackend(List<KernelProvider<?>> further) {
        this.further = List.copyOf(further);
    }

    @Override
    public List<DeviceInfo> devices() {
        return List.of(INFO);
    }

    @Override
    public MemoryProfile memoryProfile() {
        return PROFILE;
    }

    @Override
    public Set<Class<?>> missingKernels() {
        Set<Class<?>> missing = new HashSet<>(Set.of(AdamW8BitKernels.class, StochasticRoundingKernels.class));
        further.forEach(provider -> missing.remove(provider.family()));
        return missing;
    }

    @Override
    public Device open(int ordinal, DeviceLedger ledger) {
        if (ordinal != 0) {
            throw new DeviceException("the testkit has one device, 0, and not " + ordinal);
        }
        return new ScalarDevice(ledger, further);
    }
}
