package __package__;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.kernel.scaled.PieceScaledKernels;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Wraps the devices of another backend under a new name and replaces their GEMMs ({@link __Name__Gemm}). A device has some forty kernels,
 * memory, queues and transfers; you can replace them one by one, and training works from the start.
 */
record __Name__Backend(ComputeBackend base) implements ComputeBackend {
    /** The name that {@link __Name__Factory} provides. */
    static final String NAME = "__name__";

    @Override
    public List<DeviceInfo> devices() {
        return base.devices().stream().map(__Name__Backend::named).toList();
    }

    static DeviceInfo named(DeviceInfo info) {
        return new DeviceInfo(NAME, info.ordinal(), info.name(), info.arch(), info.memoryBytes());
    }

    @Override
    public ComputeBackend sharedBy(int ranks) {
        return new __Name__Backend(base.sharedBy(ranks));
    }

    /** Converts requests to allocated bytes, for {@code hirundo plan}. Keep consistent with {@link __Name__Device#allocate}. */
    @Override
    public MemoryProfile memoryProfile() {
        return base.memoryProfile();
    }

    /** What the other device lacks, and the kernels of 8-bit matrices, which {@link __Name__Families} does not pass on. */
    @Override
    public Set<Class<?>> missingKernels() {
        Set<Class<?>> missing = new HashSet<>(base.missingKernels());
        missing.addAll(Set.of(BlockScaledKernels.class, MatrixScaledKernels.class, PieceScaledKernels.class));
        return missing;
    }

    @Override
    public Device open(int ordinal, DeviceLedger ledger) {
        return new __Name__Device(base.open(ordinal, ledger));
    }
}
