package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.tensor.Tensor;

/** Copies, sums and maxima: one operation per element if there is arithmetic. Integers may be filled, and copied to integers. */
record MetaElementwise(Work work) implements ElementwiseKernels {
    @Override
    public void fill(Queue queue, Tensor x, double value) {
        work.book(queue, "elementwise.fill", 0, MetaTensor.CHECK.of("x", x));
    }

    @Override
    public void add(Queue queue, Tensor x, Tensor into) {
        MetaTensor from = MetaTensor.CHECK.floating("x", x);
        work.book(queue, "elementwise.add", from.elements(), from, sum(from, into));
    }

    @Override
    public void maximum(Queue queue, Tensor x, Tensor into) {
        MetaTensor from = MetaTensor.CHECK.floating("x", x);
        MetaTensor target = MetaTensor.CHECK.vector("into", into, from.elements(), from.dtype());
        work.book(queue, "elementwise.maximum", from.elements(), from, target);
    }

    @Override
    public void copy(Queue queue, Tensor from, Tensor to) {
        MetaTensor source = MetaTensor.CHECK.of("from", from);
        MetaTensor target = MetaTensor.CHECK.vector("to", to, source.elements());
        if (target.dtype().isFloating() != source.dtype().isFloating()) {
            throw new IllegalArgumentException(
                    "to is " + target.dtype() + ", which from, " + source.dtype() + ", is not copied to");
        }
        work.book(queue, "elementwise.copy", 0, source, target);
    }

    @Override
    public void copyColumns(Queue queue, Tensor fromMK, Tensor toMN, long firstColumn) {
        columns(queue, "elementwise.copyColumns", fromMK, toMN, firstColumn);
    }

    @Override
    public void copyFromColumns(Queue queue, Tensor fromMN, long firstColumn, Tensor toMK) {
        columns(queue, "elementwise.copyFromColumns", toMK, fromMN, firstColumn);
    }

    private void columns(Queue queue, String name, Tensor fromMK, Tensor toMN, long firstColumn) {
        MetaTensor source = MetaTensor.CHECK.of("fromMK", fromMK);
        MetaTensor target = MetaTensor.CHECK.of("toMN", toMN, source.dtype());
        long columns = target.shape().columns();
        MetaTensor.CHECK.matrix("toMN", target, source.shape().rows(), columns);
        if (firstColumn < 0 || firstColumn > columns - source.shape().columns()) {
            throw new IllegalArgumentException("toMN has no columns " + firstColumn + " to "
                    + (firstColumn + source.shape().columns()) + ", but " + columns);
        }
        work.book(queue, name, 0, source, source);
    }

    @Override
    public void scale(Queue queue, Tensor x, double factor) {
        MetaTensor scaled = MetaTensor.CHECK.floating("x", x);
        work.book(queue, "elementwise.scale", scaled.elements(), scaled);
    }

    /** Also adds BF16 to FP32. */
    private static MetaTensor sum(MetaTensor x, Tensor into) {
        return MetaTensor.CHECK.vector(
                "into", into, x.elements(), x.dtype(), x.dtype().statisticsType());
    }
}
