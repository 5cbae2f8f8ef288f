package io.hirundo.optimizermuon.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.ArithmeticKernels.Factor;
import io.hirundo.kernel.Kernels;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Moves the singular values of a matrix towards 1 by Newton-Schulz iterations, in the dtype of the parameters. It has scratch memory for the
 * largest matrix: two copies, and two squares of its smaller side.
 */
final class NewtonSchulz implements AutoCloseable {
    /** Coefficients of the quintic polynomial, by Jordan et al.: steep at 0, and not convergent, so that values end between 0.7 and 1.2. */
    private static final double A = 3.4445;

    private static final double B = -4.7750;
    private static final double C = 2.0315;
    private static final double EPSILON = 1e-7;

    private final Kernels kernels;
    private final ArithmeticKernels arithmetic;
    private final List<Tensor> scratch;

    private NewtonSchulz(Kernels kernels, ArithmeticKernels arithmetic, List<Tensor> scratch) {
        this.kernels = kernels;
        this.arithmetic = arithmetic;
        this.scratch = scratch;
    }

    /** Scratch memory for these matrices; none if there are none. The caller closes the result. */
    static NewtonSchulz of(Device device, ArithmeticKernels arithmetic, List<ParameterPart> matrices, DType dtype) {
        var scratch = new ArrayList<Tensor>();
        var result = new NewtonSchulz(device.kernels(), arithmetic, scratch);
        long elements = matrices.stream()
                .mapToLong(matrix -> matrix.shape().elements())
                .max()
                .orElse(0);
        long square = matrices.stream()
                .mapToLong(matrix -> smaller(matrix.shape()) * smaller(matrix.shape()))
                .max()
                .orElse(0);
        try {
            for (long count : elements == 0 ? new long[0] : new long[] {elements, elements, square, square}) {
                scratch.add(device.allocate(MemoryCategory.WORKSPACE, Shape.of(count), dtype));
            }
            if (elements > 0) {
                scratch.add(device.allocate(MemoryCategory.WORKSPACE, Shape.of(2), DType.FP64));
            }
        } catch (RuntimeException | Error failure) {
            result.close();
            throw failure;
        }
        return result;
    }

    private static long smaller(Shape matrix) {
        return Math.min(matrix.dim(0), matrix.dim(1));
    }

    /** Scratch memory for a matrix, to be filled before {@link #orthogonalize}. */
    Tensor matrix(Shape shape) {
        return scratch.get(0).view(0, shape);
    }

    /** Orthogonalizes {@link #matrix} of this shape. The result is scratch memory, valid until the next call. */
    Tensor orthogonalize(Queue queue, Shape shape, int iterations) {
        Tensor from = scratch.get(0).view(0, shape);
        Tensor to = scratch.get(1).view(0, shape);
        normalize(queue, from, to);
        // X X^T or X^T X: the smaller product.
        boolean isWide = shape.dim(0) <= shape.dim(1);
        Shape square = Shape.of(smaller(shape), smaller(shape));
        Tensor product = scratch.get(2).view(0, square);
        Tensor polynomial = scratch.get(3).view(0, square);
        for (int iteration = 0; iteration < iterations; iteration++) {
            Tensor x = iteration % 2 == 0 ? to : from;
            Tensor next = iteration % 2 == 0 ? from : to;
            if (isWide) {
                kernels.gemm().multiplyNT(queue, x, x, product, false);
            } else {
                kernels.gemm().multiplyTN(queue, x, x, product, false);
            }
            kernels.gemm().multiplyNN(queue, product, product, polynomial, false);
            arithmetic.axpby(queue, Factor.of(B), product, C, polynomial);
            if (isWide) {
                kernels.gemm().multiplyNN(queue, polynomial, x, next, false);
            } else {
                kernels.gemm().multiplyNN(queue, x, polynomial, next, false);
            }
            arithmetic.axpby(queue, Factor.of(A), x, 1, next);
        }
        return iterations % 2 == 0 ? to : from;
    }

    /** {@code to = from / (its Frobenius norm + 1e-7)}; no step waits for the host. */
    private void normalize(Queue queue, Tensor from, Tensor to) {
        Tensor norm1 = scratch.get(4).view(0, Shape.of(1));
        Tensor inverse1 = scratch.get(4).view(1, Shape.of(1));
        kernels.elementwise().fill(queue, norm1, 0);
        kernels.optimizer().addSumOfSquares(queue, from, norm1);
        arithmetic.squareRoot(queue, norm1);
        kernels.elementwise().fill(queue, inverse1, 1);
        arithmetic.divide(queue, norm1, EPSILON, inverse1);
        arithmetic.axpby(queue, Factor.of(1, inverse1), from, 0, to);
    }

    @Override
    public void close() {
        scratch.forEach(Tensor::close);
        scratch.clear();
    }
}
