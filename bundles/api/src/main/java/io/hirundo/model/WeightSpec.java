package io.hirundo.model;

import io.hirundo.model.parameter.Initialization;
import io.hirundo.tensor.Shape;
import java.util.List;

/**
 * A tensor of the published model, by its logical dimensions.
 *
 * @param path published name
 * @param shape each dimension of the tensor is the product of logical ones: rows of a query projection are (query-heads, head), and
 *     no split cuts a head
 * @param on the activation that the weight is applied to. Where other axes than the weight's own split it, a rank's gradient is a
 *     part of a sum
 * @param use what the layer does with it
 * @param initialization values of a new model
 */
public record WeightSpec(String path, List<List<Dim>> shape, Activation on, Use use, Initialization initialization) {
    /** What a layer does with a weight. */
    public enum Use {
        /** Operand of a GEMM, of two dimensions [outputs, inputs]: the precision strategy computes with it. */
        MATRIX,
        /** Rows that are looked up, along the first dimension. */
        TABLE,
        /** Scales or is added; of one dimension, by which optimizers know that they do not decay it. */
        VECTOR
    }

    /**
     * @throws IllegalArgumentException if a tensor of this use cannot have so many dimensions
     */
    public WeightSpec {
        shape = shape.stream().map(List::copyOf).toList();
        int dimensions = shape.size();
        boolean allowed = switch (use) {
            case MATRIX -> dimensions == 2;
            case TABLE -> dimensions >= 1;
            case VECTOR -> dimensions == 1;
        };
        if (!allowed) {
            throw new IllegalArgumentException(
                    "weight " + path + " of use " + use + " has " + dimensions + " dimensions (allowed: "
                            + switch (use) {
                                case MATRIX -> "2, [outputs, inputs]";
                                case TABLE -> "at least 1";
                                case VECTOR -> "1, because optimizers decay tensors of more";
                            }
                            + ")");
        }
    }

    /** Of the unsharded tensor. */
    public Shape globalShape() {
        return new Shape(shape.stream().map(Activation::extent).toList());
    }
}
