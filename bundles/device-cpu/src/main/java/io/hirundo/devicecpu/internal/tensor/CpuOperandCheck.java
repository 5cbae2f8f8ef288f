package io.hirundo.devicecpu.internal.tensor;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * Checks of kernel operands. Every public kernel method comes through here before it touches an address. Failures are
 * {@link IllegalArgumentException}s that name the operand, {@link IllegalStateException}s for one that is closed.
 */
public final class CpuOperandCheck {
    /** An operand of any shape and type. */
    public static CpuTensor of(String operand, Tensor tensor) {
        if (!(tensor instanceof CpuTensor cpu)) {
            throw new IllegalArgumentException(operand + " is "
                    + (tensor == null
                            ? "null"
                            : "a tensor of another device: " + tensor.getClass().getName()));
        }
        cpu.requireOpen();
        return cpu;
    }

    /** An operand of one of these types, of any shape. */
    public static CpuTensor of(String operand, Tensor tensor, DType... allowed) {
        CpuTensor cpu = of(operand, tensor);
        for (DType dtype : allowed) {
            if (cpu.dtype() == dtype) {
                return cpu;
            }
        }
        throw new IllegalArgumentException(operand + " is " + cpu.dtype() + ", not one of " + Arrays.toString(allowed));
    }

    /** An operand of a floating type. */
    public static CpuTensor floating(String operand, Tensor tensor) {
        return of(operand, tensor, DType.FP32, DType.BF16, DType.FP64);
    }

    /** An operand that is read as a matrix: all but the innermost dimension are rows. */
    public static CpuTensor matrix(String operand, Tensor tensor, long rows, long columns) {
        CpuTensor cpu = of(operand, tensor);
        if (rowsOf(cpu) != rows || columnsOf(cpu) != columns) {
            throw new IllegalArgumentException(operand + " has shape " + cpu.shape() + ", needed are " + rows
                    + " rows of " + columns + " columns");
        }
        return cpu;
    }

    /** As {@link #matrix(String, Tensor, long, long)}, of this type. */
    public static CpuTensor matrix(String operand, Tensor tensor, long rows, long columns, DType dtype) {
        of(operand, tensor, dtype);
        return matrix(operand, tensor, rows, columns);
    }

    /** An operand of this many elements, whatever its shape, of this type. */
    public static CpuTensor vector(String operand, Tensor tensor, long elements, DType dtype) {
        CpuTensor cpu = of(operand, tensor, dtype);
        if (cpu.elements() != elements) {
            throw new IllegalArgumentException(
                    operand + " has shape " + cpu.shape() + ", needed are " + elements + " elements");
        }
        return cpu;
    }

    /** As {@link #vector}, of a parameter or its gradient: of the type of the activations, or FP32 with BF16 activations. */
    public static CpuTensor parameter(String operand, Tensor tensor, long elements, DType activations) {
        return vector(
                operand,
                tensor,
                elements,
                of(operand, tensor, activations, atLeastFp32(activations)).dtype());
    }

    /** The type of sums over elements of this type: FP32 of BF16. */
    public static DType atLeastFp32(DType dtype) {
        return dtype == DType.FP64 ? DType.FP64 : DType.FP32;
    }

    /** An operand of exactly this shape and type. */
    public static CpuTensor exactly(String operand, Tensor tensor, Shape shape, DType dtype) {
        CpuTensor cpu = of(operand, tensor, dtype);
        if (!cpu.shape().equals(shape)) {
            throw new IllegalArgumentException(operand + " has shape " + cpu.shape() + ", needed is " + shape);
        }
        return cpu;
    }

    /** Rows of a tensor read as a matrix, also of one without columns. */
    public static long rowsOf(Tensor tensor) {
        List<Long> dims = tensor.shape().dims();
        long rows = 1;
        // Not a stream: kernels ask for each token, and in small models the stream took longer than its rotation.
        for (int dim = 0; dim < dims.size() - 1; dim++) {
            rows = Math.multiplyExact(rows, dims.get(dim));
        }
        return rows;
    }

    /** Columns of a tensor read as a matrix; 1 for a scalar. */
    public static long columnsOf(Tensor tensor) {
        return tensor.shape().rank() == 0 ? 1 : tensor.shape().dim(-1);
    }

    private CpuOperandCheck() {}
}
