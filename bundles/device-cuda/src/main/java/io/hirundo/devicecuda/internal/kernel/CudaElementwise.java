package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.Grid;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Kernels of {@code elementwise.cu}. Copies within a dtype are bitwise. */
record CudaElementwise(Modules modules) implements ElementwiseKernels {
    private static final String FILE = "elementwise";

    @Override
    public void fill(Queue queue, Tensor x, double value) {
        CudaTensor checked = CudaTensor.CHECK.of("x", x);
        modules.launch(queue, FILE, "fill" + CudaTensor.suffix(checked))
                .tensor(checked)
                .integer(checked.elements())
                .real(value)
                .run(Grid.of(checked.elements()), Grid.THREADS);
    }

    @Override
    public void add(Queue queue, Tensor x, Tensor into) {
        CudaTensor from = CudaTensor.CHECK.floating("x", x);
        CudaTensor to = CudaTensor.CHECK.vector(
                "into", into, from.elements(), from.dtype(), from.dtype().statisticsType());
        combine(queue, "add" + CudaTensor.suffix(from) + CudaTensor.suffix(to), from, to);
    }

    @Override
    public void maximum(Queue queue, Tensor x, Tensor into) {
        CudaTensor from = CudaTensor.CHECK.floating("x", x);
        CudaTensor to = CudaTensor.CHECK.vector("into", into, from.elements(), from.dtype());
        combine(queue, "maximum" + CudaTensor.suffix(from), from, to);
    }

    @Override
    public void copy(Queue queue, Tensor from, Tensor to) {
        CudaTensor source = CudaTensor.CHECK.of("from", from);
        CudaTensor target = CudaTensor.CHECK.of("to", to);
        if (target.dtype().isFloating() != source.dtype().isFloating()) {
            throw new IllegalArgumentException("to is " + target.dtype() + ", but from is " + source.dtype()
                    + ": integers and floating types do not mix");
        }
        CudaTensor.CHECK.vector("to", to, source.elements());
        if (source.isSame(target)) {
            return;
        }
        combine(
                queue,
                source.dtype() == target.dtype()
                        ? bitwise(source.dtype())
                        : "copy" + CudaTensor.suffix(source) + CudaTensor.suffix(target),
                source,
                target);
    }

    @Override
    public void copyColumns(Queue queue, Tensor fromMK, Tensor toMN, long firstColumn) {
        CudaTensor source = CudaTensor.CHECK.of("fromMK", fromMK);
        CudaTensor target = CudaTensor.CHECK.of("toMN", toMN, source.dtype());
        columns(queue, "copy_columns", source, target, new Columns("toMN", source, target, firstColumn));
    }

    @Override
    public void copyFromColumns(Queue queue, Tensor fromMN, long firstColumn, Tensor toMK) {
        CudaTensor target = CudaTensor.CHECK.of("toMK", toMK);
        CudaTensor source = CudaTensor.CHECK.of("fromMN", fromMN, target.dtype());
        columns(queue, "copy_from_columns", source, target, new Columns("fromMN", target, source, firstColumn));
    }

    /** Columns of a wide matrix, as many as a narrow one has. */
    private record Columns(String name, CudaTensor narrow, CudaTensor wide, long first) {
        Columns {
            long columns = wide.shape().columns();
            CudaTensor.CHECK.matrix(name, wide, narrow.shape().rows(), columns);
            if (first < 0 || first > columns - narrow.shape().columns()) {
                throw new IllegalArgumentException(name + " has no columns " + first + " to "
                        + (first + narrow.shape().columns()) + ", but " + columns);
            }
        }
    }

    private void columns(Queue queue, String kernel, CudaTensor from, CudaTensor to, Columns columns) {
        long elements = columns.narrow().elements();
        modules.launch(queue, FILE, kernel + from.dtype().byteSize())
                .tensor(from)
                .tensor(to)
                .integer(elements)
                .integer(columns.narrow().shape().columns())
                .integer(columns.wide().shape().columns())
                .integer(columns.first())
                .run(Grid.of(elements), Grid.THREADS);
    }

    private static String bitwise(DType dtype) {
        return "copy_bytes" + dtype.byteSize();
    }

    @Override
    public void scale(Queue queue, Tensor x, double factor) {
        CudaTensor checked = CudaTensor.CHECK.floating("x", x);
        modules.launch(queue, FILE, "scale" + CudaTensor.suffix(checked))
                .tensor(checked)
                .integer(checked.elements())
                .real(factor)
                .run(Grid.of(checked.elements()), Grid.THREADS);
    }

    private void combine(Queue queue, String kernel, CudaTensor from, CudaTensor to) {
        modules.launch(queue, FILE, kernel)
                .tensor(from)
                .tensor(to)
                .integer(from.elements())
                .run(Grid.of(from.elements()), Grid.THREADS);
    }
}
