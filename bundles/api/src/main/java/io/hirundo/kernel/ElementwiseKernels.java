package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** Copies, sums and maxima. */
@ConsumerType
public interface ElementwiseKernels {
    void fill(Queue queue, Tensor x, double value);

    /** {@code into += x}; a BF16 {@code x} may be added to an FP32 {@code into}. */
    void add(Queue queue, Tensor x, Tensor into);

    /** {@code into = max(into, x)}; NaNs propagate. */
    void maximum(Queue queue, Tensor x, Tensor into);

    /**
     * Copies the same number of elements, converting between floating dtypes with round to nearest even. Where both are the same memory, it writes
     * nothing: an in-place collective may run while the owner sets new values.
     */
    void copy(Queue queue, Tensor from, Tensor to);

    /**
     * Copies a matrix into columns of a wider one.
     *
     * @param fromMK all dimensions but the last are rows
     * @param toMN same rows and dtype; columns {@code [firstColumn, firstColumn + K)} are overwritten
     */
    default void copyColumns(Queue queue, Tensor fromMK, Tensor toMN, long firstColumn) {
        long columns = fromMK.shape().dim(-1);
        Shape row = Shape.of(columns);
        for (long index = 0; index < fromMK.shape().rows(); index++) {
            copy(
                    queue,
                    fromMK.view(index * columns, row),
                    toMN.view(index * toMN.shape().dim(-1) + firstColumn, row));
        }
    }

    /**
     * Copies columns of a matrix into a narrower one.
     *
     * @param fromMN all dimensions but the last are rows
     * @param toMK same rows and dtype; receives columns {@code [firstColumn, firstColumn + K)}
     */
    default void copyFromColumns(Queue queue, Tensor fromMN, long firstColumn, Tensor toMK) {
        long columns = toMK.shape().dim(-1);
        Shape row = Shape.of(columns);
        for (long index = 0; index < toMK.shape().rows(); index++) {
            copy(
                    queue,
                    fromMN.view(index * fromMN.shape().dim(-1) + firstColumn, row),
                    toMK.view(index * columns, row));
        }
    }

    /** {@code x *= factor}. */
    void scale(Queue queue, Tensor x, double factor);
}
