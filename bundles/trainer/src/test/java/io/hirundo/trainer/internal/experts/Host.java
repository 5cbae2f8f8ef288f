package io.hirundo.trainer.internal.experts;

import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.IntStream;

/** Values of a step in FP64 on the host, and copies of single rows. */
final class Host {
    private Host() {}

    static double[] read(StepContext context, Tensor tensor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(tensor.byteSize(), 8);
            context.device().transfer().download(context.queue(), tensor, host);
            context.queue().drain();
            return IntStream.range(0, (int) tensor.elements())
                    .mapToDouble(i -> tensor.dtype() == DType.INT32
                            ? host.getAtIndex(ValueLayout.JAVA_INT, i)
                            : host.getAtIndex(ValueLayout.JAVA_DOUBLE, i))
                    .toArray();
        }
    }

    /** The caller closes it. */
    static Tensor tensor(StepContext context, double[] values, Shape shape) {
        Tensor tensor = context.allocate(shape);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocateFrom(ValueLayout.JAVA_DOUBLE, values);
            context.device().transfer().upload(context.queue(), host, tensor);
            context.queue().drain();
        }
        return tensor;
    }

    /** A row times a factor. */
    static void copyRow(StepContext context, Tensor from, int row, double factor, Tensor to, int toRow) {
        var kernels = context.device().kernels().elementwise();
        kernels.copy(context.queue(), from.rows(row, 1), to.rows(toRow, 1));
        kernels.scale(context.queue(), to.rows(toRow, 1), factor);
    }
}
