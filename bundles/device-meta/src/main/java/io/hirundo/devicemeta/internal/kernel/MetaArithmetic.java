package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Arithmetic of optimizers. Operations per element: {@code axpby} 3, {@code divide} 2, others 1. */
record MetaArithmetic(Work work) implements ArithmeticKernels {
    @Override
    public void axpby(Queue queue, Factor a, Tensor xN, double b, Tensor yN) {
        MetaTensor y = MetaTensor.CHECK.floating("yN", yN);
        MetaTensor x = MetaTensor.CHECK.vector("xN", xN, y.elements(), y.dtype());
        a.scalar1().ifPresent(scalar -> MetaTensor.CHECK.vector("scalar1", scalar, 1, DType.FP64));
        work.book(queue, "arithmetic.axpby", 3 * y.elements(), x, y);
    }

    @Override
    public void multiply(Queue queue, Tensor xN, Tensor yN) {
        MetaTensor y = MetaTensor.CHECK.floating("yN", yN);
        work.book(
                queue,
                "arithmetic.multiply",
                y.elements(),
                MetaTensor.CHECK.vector("xN", xN, y.elements(), y.dtype()),
                y);
    }

    @Override
    public void divide(Queue queue, Tensor xN, double epsilon, Tensor yN) {
        MetaTensor y = MetaTensor.CHECK.floating("yN", yN);
        work.book(
                queue,
                "arithmetic.divide",
                2 * y.elements(),
                MetaTensor.CHECK.vector("xN", xN, y.elements(), y.dtype()),
                y);
    }

    @Override
    public void squareRoot(Queue queue, Tensor xN) {
        MetaTensor x = MetaTensor.CHECK.floating("xN", xN);
        work.book(queue, "arithmetic.squareRoot", x.elements(), x);
    }

    @Override
    public void sign(Queue queue, Tensor xN) {
        MetaTensor x = MetaTensor.CHECK.floating("xN", xN);
        work.book(queue, "arithmetic.sign", x.elements(), x);
    }
}
