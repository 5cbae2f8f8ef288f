package io.hirundo.device;

import io.hirundo.kernel.Kernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/** An open device, owned by one rank. Closing it releases all remaining memory. */
@ConsumerType
public interface Device extends AutoCloseable {
    DeviceInfo info();

    /** Whether values are computed. {@code device-meta} returns false and reads back NaN. */
    boolean computes();

    /** Creates an in-order queue. */
    Queue newQueue(String purpose);

    /**
     * Allocates memory with undefined contents.
     *
     * @return a tensor that the caller owns
     * @throws io.hirundo.DeviceException if memory is exhausted; the message lists usage by category
     */
    Tensor allocate(MemoryCategory category, Shape shape, DType dtype);

    Kernels kernels();

    Transfer transfer();

    /**
     * Times kernels in all queues from now on, with some overhead. Thread-safe, also while other threads launch kernels.
     *
     * @return closed by the caller; empty if the device cannot time kernels
     * @throws IllegalStateException if another timer is open
     */
    default Optional<KernelTimer> timeKernels() {
        return Optional.empty();
    }

    /**
     * A further interface of this device, {@code io.hirundo.kernel.host.HostWorkers} for instance, for kernels that bundles bring; empty if it
     * has none. A device that wraps another one also asks that one.
     */
    default <T> Optional<T> adapt(Class<T> type) {
        return type.isInstance(this) ? Optional.of(type.cast(this)) : Optional.empty();
    }

    @Override
    void close();
}
