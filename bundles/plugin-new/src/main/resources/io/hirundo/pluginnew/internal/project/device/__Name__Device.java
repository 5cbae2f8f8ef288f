package __package__;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.KernelTimer;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.device.Transfer;
import io.hirundo.kernel.Kernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/**
 * An open device of one rank. Uses the other device's memory, queues and transfers, so that its kernels can work on all tensors. A device
 * with its own allocator books each allocation in the ledger before it is made, and releases it after it is freed.
 */
final class __Name__Device implements Device {
    private final Device base;
    private final __Name__Gemm gemm;
    private boolean closed;

    __Name__Device(Device base) {
        this.base = base;
        this.gemm = new __Name__Gemm(base.kernels().gemm());
    }

    @Override
    public DeviceInfo info() {
        return __Name__Backend.named(base.info());
    }

    @Override
    public boolean computes() {
        return base.computes();
    }

    @Override
    public Queue newQueue(String purpose) {
        return base.newQueue(purpose);
    }

    @Override
    public Tensor allocate(MemoryCategory category, Shape shape, DType dtype) {
        return base.allocate(category, shape, dtype);
    }

    @Override
    public Kernels kernels() {
        return new __Name__Families(base.kernels(), gemm);
    }

    @Override
    public Transfer transfer() {
        return base.transfer();
    }

    @Override
    public Optional<KernelTimer> timeKernels() {
        return base.timeKernels();
    }

    /** Kernels that bundles bring for the other device run on this one, too: the tensors are the same. */
    @Override
    public <T> Optional<T> adapt(Class<T> type) {
        return base.adapt(type);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            // The run's log is closed by now.
            System.err.println(__Name__Backend.NAME + ": " + gemm.summary());
        }
        base.close();
    }
}
