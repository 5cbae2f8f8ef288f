package io.hirundo.devicecpu.internal.vector;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.tensor.DType;

/**
 * Spans of a tensor as FP32, for loops that know no other type: of an FP32 tensor the elements themselves, of a BF16 one a
 * widened copy in a task's scratch memory, which {@link #store} rounds back. One span at a time.
 */
public final class WideSpan {
    private final CpuTensor tensor;
    private final long copy;

    private WideSpan(CpuTensor tensor, long copy) {
        this.tensor = tensor;
        this.copy = copy;
    }

    /** For spans of at most {@code elements} of an FP32 or BF16 tensor. */
    public static WideSpan of(CpuTensor tensor, long elements, Scratch scratch) {
        return new WideSpan(tensor, tensor.dtype() == DType.FP32 ? 0 : scratch.take(elements * 4));
    }

    /** The address of as many FP32 elements, from the given one on. */
    public long read(long element, int count) {
        return readRows(element, count, 1, count);
    }

    /** As {@link #read}, of rows of {@code count} elements each; {@link #stride} tells how far apart they are. */
    public long readRows(long element, long elementStride, int rows, int count) {
        if (copy == 0) {
            return address(element);
        }
        if (elementStride == count) {
            ElementwiseLoops.fromBf16(address(element), rows * count, copy);
            return copy;
        }
        for (int row = 0; row < rows; row++) {
            ElementwiseLoops.fromBf16(address(element + row * elementStride), count, copy + row * count * 4L);
        }
        return copy;
    }

    /** Bytes from one of the rows that were read to the next. */
    public long stride(long elementStride, int count) {
        return (copy == 0 ? elementStride : count) * 4L;
    }

    /** Where to write FP32 elements before they are stored. */
    public long target(long element) {
        return copy == 0 ? address(element) : copy;
    }

    /** Rounds what was written to {@link #target}, or changed where it was {@link #read}. */
    public void store(long element, int count) {
        if (copy != 0) {
            ElementwiseLoops.toBf16(copy, count, address(element));
        }
    }

    private long address(long element) {
        return tensor.address() + element * tensor.dtype().byteSize();
    }
}
