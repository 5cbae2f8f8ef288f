package io.hirundo.devicecpu.internal.elementwise;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.devicecpu.internal.vector.ElementwiseLoops;
import io.hirundo.devicecpu.internal.vector.NormRows;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * Copies, sums and maxima with the Vector API: for FP32 and BF16, copies within any type, and conversions between FP32 and BF16.
 * All else goes to {@link ReferenceElementwise}.
 */
public final class VectorElementwise implements ElementwiseKernels {
    private final WorkerPool pool;
    private final ReferenceElementwise reference = new ReferenceElementwise();

    public VectorElementwise(WorkerPool pool) {
        this.pool = pool;
    }

    @Override
    public void fill(Queue queue, Tensor x, double value) {
        CpuTensor checked = CpuTensor.CHECK.of("x", x);
        long address = checked.address();
        int size = checked.dtype().byteSize();
        if (Double.doubleToRawLongBits(value) == 0) {
            // Zero is zero bits in every type.
            Blocks.elements(
                    pool,
                    checked.elements(),
                    (first, count) -> ElementwiseLoops.zero(address + first * size, (long) count * size));
        } else if (checked.dtype() == DType.FP32) {
            Blocks.elements(
                    pool,
                    checked.elements(),
                    (first, count) -> ElementwiseLoops.fill(address + first * 4, count, (float) value));
        } else {
            reference.fill(queue, x, value);
        }
    }

    @Override
    public void add(Queue queue, Tensor x, Tensor into) {
        CpuTensor from = CpuTensor.CHECK.floating("x", x);
        CpuTensor to = CpuTensor.CHECK.parameter("into", into, from.elements(), from.dtype());
        if (to.dtype() == DType.FP64) {
            reference.add(queue, x, into);
        } else if (from.dtype() == DType.BF16 && to.dtype() == DType.BF16) {
            Blocks.elements(
                    pool,
                    from.elements(),
                    (first, count) ->
                            ElementwiseLoops.addBf16(from.address() + first * 2, count, to.address() + first * 2));
        } else {
            combine(from, to, (source, count, target) -> NormRows.add(target, source, count, target));
        }
    }

    @Override
    public void maximum(Queue queue, Tensor x, Tensor into) {
        CpuTensor from = CpuTensor.CHECK.floating("x", x);
        CpuTensor to = CpuTensor.CHECK.vector("into", into, from.elements(), from.dtype());
        if (to.dtype() == DType.FP64) {
            reference.maximum(queue, x, into);
        } else {
            combine(from, to, ElementwiseLoops::maximum);
        }
    }

    @Override
    public void copy(Queue queue, Tensor from, Tensor to) {
        CpuTensor source = CpuTensor.CHECK.of("from", from);
        CpuTensor target = ReferenceElementwise.target(source, to);
        if (source.isSame(target)) {
            return;
        }
        long in = source.address();
        long out = target.address();
        if (source.dtype() == target.dtype()) {
            int size = source.dtype().byteSize();
            Blocks.elements(
                    pool,
                    source.elements(),
                    (first, count) -> Memory.copy(in + first * size, out + first * size, (long) count * size));
        } else if (source.dtype() == DType.FP32 && target.dtype() == DType.BF16) {
            Blocks.elements(
                    pool,
                    source.elements(),
                    (first, count) -> ElementwiseLoops.toBf16(in + first * 4, count, out + first * 2));
        } else if (source.dtype() == DType.BF16 && target.dtype() == DType.FP32) {
            Blocks.elements(
                    pool,
                    source.elements(),
                    (first, count) -> ElementwiseLoops.fromBf16(in + first * 2, count, out + first * 4));
        } else {
            reference.copy(queue, from, to);
        }
    }

    @Override
    public void copyColumns(Queue queue, Tensor fromMK, Tensor toMN, long firstColumn) {
        CpuTensor target = ReferenceElementwise.columnsTarget(fromMK, toMN, firstColumn);
        CpuTensor source = CpuTensor.CHECK.of("fromMK", fromMK);
        int size = source.dtype().byteSize();
        long bytes = source.shape().columns() * size;
        long stride = target.shape().columns() * size;
        long in = source.address();
        long out = target.address() + firstColumn * size;
        Blocks.rows(pool, source.shape().rows(), source.shape().columns(), (first, count) -> {
            for (long row = first; row < first + count; row++) {
                Memory.copy(in + row * bytes, out + row * stride, bytes);
            }
        });
    }

    @Override
    public void copyFromColumns(Queue queue, Tensor fromMN, long firstColumn, Tensor toMK) {
        CpuTensor source = ReferenceElementwise.columnsTarget(toMK, fromMN, firstColumn);
        CpuTensor target = CpuTensor.CHECK.of("toMK", toMK);
        int size = source.dtype().byteSize();
        long bytes = target.shape().columns() * size;
        long stride = source.shape().columns() * size;
        long in = source.address() + firstColumn * size;
        long out = target.address();
        Blocks.rows(pool, target.shape().rows(), target.shape().columns(), (first, count) -> {
            for (long row = first; row < first + count; row++) {
                Memory.copy(in + row * stride, out + row * bytes, bytes);
            }
        });
    }

    @Override
    public void scale(Queue queue, Tensor x, double factor) {
        CpuTensor checked = CpuTensor.CHECK.floating("x", x);
        if (checked.dtype() == DType.FP64) {
            reference.scale(queue, x, factor);
            return;
        }
        Blocks.elements(pool, checked.elements(), (first, count, scratch) -> {
            WideSpan span = WideSpan.of(checked, count, scratch);
            ElementwiseLoops.scale(span.read(first, count), count, (float) factor);
            span.store(first, count);
        });
    }

    /** FP32 work on elements of two tensors, by address. */
    @FunctionalInterface
    private interface Combination {
        void run(long from, int count, long into);
    }

    private void combine(CpuTensor from, CpuTensor into, Combination combination) {
        Blocks.elements(pool, from.elements(), (first, count, scratch) -> {
            WideSpan source = WideSpan.of(from, count, scratch);
            WideSpan target = WideSpan.of(into, count, scratch);
            combination.run(source.read(first, count), count, target.read(first, count));
            target.store(first, count);
        });
    }
}
