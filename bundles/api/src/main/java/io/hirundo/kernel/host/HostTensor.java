package io.hirundo.kernel.host;

import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import org.osgi.annotation.versioning.ConsumerType;

/** A tensor in memory of this process, as those of the device {@code cpu} are: for kernels that bundles bring. */
@ConsumerType
public interface HostTensor extends Tensor {
    /**
     * The elements, row-major and little-endian: exactly {@link #byteSize} bytes. Valid until the tensor is closed.
     *
     * @throws IllegalStateException if the tensor is closed
     */
    MemorySegment memory();

    /**
     * An operand as a tensor in memory of this process.
     *
     * @throws IllegalArgumentException if it is none; names the operand
     */
    static HostTensor of(String operand, Tensor tensor) {
        if (tensor instanceof HostTensor host) {
            return host;
        }
        throw new IllegalArgumentException(operand + " is not in memory of this process: "
                + (tensor == null ? "null" : tensor.getClass().getName()));
    }
}
