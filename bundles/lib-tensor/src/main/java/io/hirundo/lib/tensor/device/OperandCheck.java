package io.hirundo.lib.tensor.device;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;

/**
 * Checks operands of a device's kernels as far as the host knows them, so that a plan finds the errors of a run. Every kernel calls it before
 * it touches an address. Throws {@link IllegalArgumentException} with the operand's name, or {@link IllegalStateException} for a closed tensor.
 *
 * @param <T> tensors of the device
 */
public record OperandCheck<T extends AccountedTensor<?>>(Class<T> type) {
    /** An operand of any shape; of any dtype if none is given. */
    public T of(String operand, Tensor tensor, DType... allowed) {
        if (!type.isInstance(tensor)) {
            throw new IllegalArgumentException(operand + " is "
                    + (tensor == null
                            ? "null"
                            : "a tensor of another device: " + tensor.getClass().getName()));
        }
        T own = type.cast(tensor);
        own.requireOpen();
        if (allowed.length > 0 && !isAmong(own.dtype(), allowed)) {
            throw new IllegalArgumentException(
                    operand + " is " + own.dtype() + ", not one of " + Arrays.toString(allowed));
        }
        return own;
    }

    private static boolean isAmong(DType dtype, DType[] allowed) {
        for (DType one : allowed) {
            if (one == dtype) {
                return true;
            }
        }
        return false;
    }

    /** An operand of a floating dtype. */
    public T floating(String operand, Tensor tensor) {
        return of(operand, tensor, DType.FP32, DType.BF16, DType.FP64);
    }

    /** An operand that is read as a matrix: all dimensions but the innermost are rows. */
    public T matrix(String operand, Tensor tensor, long rows, long columns, DType... allowed) {
        T own = of(operand, tensor, allowed);
        if (own.shape().rows() != rows || own.shape().columns() != columns) {
            throw new IllegalArgumentException(operand + " has shape " + own.shape() + ", needed are " + rows
                    + " rows of " + columns + " columns");
        }
        return own;
    }

    /** An operand with this many elements, in any shape. */
    public T vector(String operand, Tensor tensor, long elements, DType... allowed) {
        T own = of(operand, tensor, allowed);
        if (own.elements() != elements) {
            throw new IllegalArgumentException(
                    operand + " has shape " + own.shape() + ", needed are " + elements + " elements");
        }
        return own;
    }

    /** An operand of exactly this shape and dtype. */
    public T exactly(String operand, Tensor tensor, Shape shape, DType dtype) {
        T own = of(operand, tensor, dtype);
        if (!own.shape().equals(shape)) {
            throw new IllegalArgumentException(operand + " has shape " + own.shape() + ", needed is " + shape);
        }
        return own;
    }

    /** As {@link #vector}, of a parameter or its gradient: of the dtype of the activations, or FP32 with BF16 activations. */
    public T parameter(String operand, Tensor tensor, long elements, DType activations) {
        return vector(operand, tensor, elements, activations, activations.statisticsType());
    }
}
