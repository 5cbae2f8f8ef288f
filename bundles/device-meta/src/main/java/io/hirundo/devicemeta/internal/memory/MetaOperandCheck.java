package io.hirundo.devicemeta.internal.memory;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;

/**
 * Checks operands like a computing device, so that a plan finds the errors of a run. A wrong operand is an {@link
 * IllegalArgumentException} that names it; a closed one is an {@link IllegalStateException}.
 */
public final class MetaOperandCheck {
    private MetaOperandCheck() {}

    /** An operand of any shape; of any dtype if none is given. */
    public static MetaTensor of(String operand, Tensor tensor, DType... allowed) {
        if (!(tensor instanceof MetaTensor meta)) {
            throw new IllegalArgumentException(operand + " is "
                    + (tensor == null
                            ? "null"
                            : "a tensor of another device: " + tensor.getClass().getName()));
        }
        meta.requireOpen();
        if (allowed.length > 0 && !Arrays.asList(allowed).contains(meta.dtype())) {
            throw new IllegalArgumentException(
                    operand + " is " + meta.dtype() + ", not one of " + Arrays.toString(allowed));
        }
        return meta;
    }

    /** A floating operand. */
    public static MetaTensor floating(String operand, Tensor tensor) {
        return of(operand, tensor, DType.FP32, DType.BF16, DType.FP64);
    }

    /** An operand read as a matrix: all dimensions but the innermost are rows. */
    public static MetaTensor matrix(String operand, Tensor tensor, long rows, long columns, DType... allowed) {
        MetaTensor meta = of(operand, tensor, allowed);
        if (rowsOf(meta) != rows || columnsOf(meta) != columns) {
            throw new IllegalArgumentException(operand + " has shape " + meta.shape() + ", needed are " + rows
                    + " rows of " + columns + " columns");
        }
        return meta;
    }

    /** An operand with this number of elements, in any shape. */
    public static MetaTensor vector(String operand, Tensor tensor, long elements, DType... allowed) {
        MetaTensor meta = of(operand, tensor, allowed);
        if (meta.elements() != elements) {
            throw new IllegalArgumentException(
                    operand + " has shape " + meta.shape() + ", needed are " + elements + " elements");
        }
        return meta;
    }

    /** An operand of exactly this shape and dtype. */
    public static MetaTensor exactly(String operand, Tensor tensor, Shape shape, DType dtype) {
        MetaTensor meta = of(operand, tensor, dtype);
        if (!meta.shape().equals(shape)) {
            throw new IllegalArgumentException(operand + " has shape " + meta.shape() + ", needed is " + shape);
        }
        return meta;
    }

    /** Dtype of sums and statistics for a tensor of this dtype. */
    public static DType statisticsType(DType dtype) {
        return dtype == DType.FP64 ? DType.FP64 : DType.FP32;
    }

    /** Rows of a tensor read as a matrix. */
    public static long rowsOf(Tensor tensor) {
        return tensor.shape().rows();
    }

    /** Columns of a tensor read as a matrix; 1 for a scalar. */
    public static long columnsOf(Tensor tensor) {
        return tensor.shape().rank() == 0 ? 1 : tensor.shape().dim(-1);
    }
}
