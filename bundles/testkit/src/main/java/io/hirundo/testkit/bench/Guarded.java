package io.hirundo.testkit.bench;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;
import java.util.function.LongToDoubleFunction;

/**
 * A matrix surrounded by other memory, as training tensors are in buckets: writes outside it are detected.
 *
 * @param name for messages
 * @param values the matrix, when it is lent
 */
public record Guarded(String name, Bench bench, Tensor around, Tensor tensor, double[] values) {
    private static final int MARGIN_BYTES = 64;

    public static Guarded of(
            Bench bench, String name, DType dtype, LongToDoubleFunction value, long rows, long columns) {
        long margin = MARGIN_BYTES / dtype.byteSize();
        Tensor around = bench.tensor(dtype, i -> -77, rows * columns + 2 * margin);
        Tensor tensor = around.view(margin, Shape.of(rows, columns));
        bench.write(tensor, value);
        return new Guarded(name, bench, around, tensor, bench.read(tensor));
    }

    public void requireUntouched() {
        if (!Arrays.equals(values, bench.read(tensor))) {
            throw new AssertionError(name + " " + tensor.shape() + " is an input and was written to");
        }
        requireMargins();
    }

    /** The current values. */
    public double[] result() {
        requireMargins();
        return bench.read(tensor);
    }

    private void requireMargins() {
        double[] all = bench.read(around);
        int margin = (int) (around.elements() - tensor.elements()) / 2;
        for (int i = 0; i < all.length; i++) {
            if ((i < margin || i >= all.length - margin) && all[i] != -77) {
                throw new AssertionError("memory " + (i < margin ? "before " : "behind ") + name + " " + tensor.shape()
                        + " was written to");
            }
        }
    }
}
