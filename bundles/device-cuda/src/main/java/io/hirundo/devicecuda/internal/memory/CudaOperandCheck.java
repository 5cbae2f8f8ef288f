package io.hirundo.devicecuda.internal.memory;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;

/**
 * Checks kernel operands as far as the host knows them, without reading values on the device. Throws {@link IllegalArgumentException} with
 * the operand's name, or {@link IllegalStateException} for a closed tensor.
 */
public final class CudaOperandCheck {
    private CudaOperandCheck() {}

    /** An operand of any shape; of any dtype if none is given. */
    public static CudaTensor of(String operand, Tensor tensor, DType... allowed) {
        if (!(tensor instanceof CudaTensor cuda)) {
            throw new IllegalArgumentException(operand + " is "
                    + (tensor == null
                            ? "null"
                            : "a tensor of another device: " + tensor.getClass().getName()));
        }
        cuda.requireOpen();
        if (allowed.length > 0 && !Arrays.asList(allowed).contains(cuda.dtype())) {
            throw new IllegalArgumentException(
                    operand + " is " + cuda.dtype() + ", not one of " + Arrays.toString(allowed));
        }
        return cuda;
    }

    /** An operand of a floating dtype. */
    public static CudaTensor floating(String operand, Tensor tensor) {
        return of(operand, tensor, DType.FP32, DType.BF16, DType.FP64);
    }

    /** An operand that is read as a matrix: all dimensions but the innermost are rows. */
    public static CudaTensor matrix(String operand, Tensor tensor, long rows, long columns, DType... allowed) {
        CudaTensor cuda = of(operand, tensor, allowed);
        if (rowsOf(cuda) != rows || columnsOf(cuda) != columns) {
            throw new IllegalArgumentException(operand + " has shape " + cuda.shape() + ", needed are " + rows
                    + " rows of " + columns + " columns");
        }
        return cuda;
    }

    /** An operand with this many elements and any shape. */
    public static CudaTensor vector(String operand, Tensor tensor, long elements, DType... allowed) {
        CudaTensor cuda = of(operand, tensor, allowed);
        if (cuda.elements() != elements) {
            throw new IllegalArgumentException(
                    operand + " has shape " + cuda.shape() + ", needed are " + elements + " elements");
        }
        return cuda;
    }

    /** An operand of exactly this shape and dtype. */
    public static CudaTensor exactly(String operand, Tensor tensor, Shape shape, DType dtype) {
        CudaTensor cuda = of(operand, tensor, dtype);
        if (!cuda.shape().equals(shape)) {
            throw new IllegalArgumentException(operand + " has shape " + cuda.shape() + ", needed is " + shape);
        }
        return cuda;
    }

    /** The dtype of sums and statistics for a tensor of this dtype. */
    public static DType statisticsType(DType dtype) {
        return dtype == DType.FP64 ? DType.FP64 : DType.FP32;
    }

    /** Rows of a tensor that is read as a matrix. */
    public static long rowsOf(Tensor tensor) {
        return tensor.shape().rows();
    }

    /** The dtype in a kernel's name, for example {@code _f32}. */
    public static String suffix(CudaTensor tensor) {
        return switch (tensor.dtype()) {
            case FP64 -> "_f64";
            case FP32 -> "_f32";
            case BF16 -> "_bf16";
            case INT32 -> "_i32";
            case FP8_E4M3 -> "_e4m3";
            case FP8_E5M2 -> "_e5m2";
        };
    }

    /** Columns of a tensor that is read as a matrix; 1 for a scalar. */
    public static long columnsOf(Tensor tensor) {
        return tensor.shape().rank() == 0 ? 1 : tensor.shape().dim(-1);
    }
}
