package io.hirundo.devicecpu.internal.elementwise;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.tensor.Tensor;

/** Copies, sums and maxima, element after element, in double arithmetic. Integers can be filled, and copied to integers. */
public final class ReferenceElementwise implements ElementwiseKernels {
    @Override
    public void fill(Queue queue, Tensor x, double value) {
        CpuTensor checked = CpuTensor.CHECK.of("x", x);
        for (long i = 0; i < checked.elements(); i++) {
            checked.setDouble(i, value);
        }
    }

    @Override
    public void add(Queue queue, Tensor x, Tensor into) {
        CpuTensor from = CpuTensor.CHECK.floating("x", x);
        CpuTensor to = CpuTensor.CHECK.parameter("into", into, from.elements(), from.dtype());
        for (long i = 0; i < from.elements(); i++) {
            to.setDouble(i, to.getDouble(i) + from.getDouble(i));
        }
    }

    @Override
    public void maximum(Queue queue, Tensor x, Tensor into) {
        CpuTensor from = CpuTensor.CHECK.floating("x", x);
        CpuTensor to = CpuTensor.CHECK.vector("into", into, from.elements(), from.dtype());
        for (long i = 0; i < from.elements(); i++) {
            to.setDouble(i, Math.max(to.getDouble(i), from.getDouble(i)));
        }
    }

    @Override
    public void copy(Queue queue, Tensor from, Tensor to) {
        CpuTensor source = CpuTensor.CHECK.of("from", from);
        CpuTensor target = target(source, to);
        if (source.isSame(target)) {
            return;
        }
        for (long i = 0; i < source.elements(); i++) {
            target.setDouble(i, source.getDouble(i));
        }
    }

    @Override
    public void copyColumns(Queue queue, Tensor fromMK, Tensor toMN, long firstColumn) {
        columnsTarget(fromMK, toMN, firstColumn);
        ElementwiseKernels.super.copyColumns(queue, fromMK, toMN, firstColumn);
    }

    @Override
    public void copyFromColumns(Queue queue, Tensor fromMN, long firstColumn, Tensor toMK) {
        columnsTarget(toMK, fromMN, firstColumn);
        ElementwiseKernels.super.copyFromColumns(queue, fromMN, firstColumn, toMK);
    }

    /** The wider one of two matrices of as many rows, which has the columns of the other from {@code firstColumn} on. */
    static CpuTensor columnsTarget(Tensor from, Tensor to, long firstColumn) {
        CpuTensor source = CpuTensor.CHECK.of("fromMK", from);
        CpuTensor target = CpuTensor.CHECK.of("toMN", to, source.dtype());
        long columns = target.shape().columns();
        CpuTensor.CHECK.matrix("toMN", to, source.shape().rows(), columns);
        if (firstColumn < 0 || firstColumn > columns - source.shape().columns()) {
            throw new IllegalArgumentException("toMN has no columns " + firstColumn + " to "
                    + (firstColumn + source.shape().columns()) + ", but " + columns);
        }
        return target;
    }

    @Override
    public void scale(Queue queue, Tensor x, double factor) {
        CpuTensor checked = CpuTensor.CHECK.floating("x", x);
        for (long i = 0; i < checked.elements(); i++) {
            checked.setDouble(i, checked.getDouble(i) * factor);
        }
    }

    /** Where a copy may go: to any floating type from any, to integers from integers only. */
    static CpuTensor target(CpuTensor source, Tensor to) {
        CpuTensor target = CpuTensor.CHECK.of("to", to);
        if (target.dtype().isFloating() != source.dtype().isFloating()) {
            throw new IllegalArgumentException("to is " + target.dtype() + ", but from is " + source.dtype()
                    + ": integers and floating types do not mix");
        }
        return CpuTensor.CHECK.vector("to", to, source.elements(), target.dtype());
    }
}
