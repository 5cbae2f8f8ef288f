package io.hirundo.gpusuite.internal.kernels;

import io.hirundo.gpusuite.internal.kernels.KernelCases.Size;
import io.hirundo.kernel.ArithmeticKernels.Factor;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** Elementwise kernels. Half of the operands start at unaligned addresses, where vector loads are impossible. */
final class ElementCases {
    private ElementCases() {}

    static void add(List<KernelCase> cases, Size size) {
        int count = size.rows() * size.columns();
        for (DType dtype : List.of(DType.FP32, DType.BF16, DType.FP64)) {
            arithmetic(cases, " " + dtype + " " + count, dtype, count);
            softCap(cases, dtype, count);
            ofOptimizers(cases, dtype, count);
        }
        for (DType from : DType.values()) {
            copyColumns(cases, from, size);
            for (DType to : DType.values()) {
                if (from.isFloating() == to.isFloating()) {
                    copy(cases, from, to, count);
                }
            }
        }
    }

    private static void arithmetic(List<KernelCase> cases, String of, DType dtype, int count) {
        cases.add(new KernelCase("elementwise" + of, dtype == DType.FP64 ? 0 : KernelCases.FP32, (tensors, kernels) -> {
            var elementwise = kernels.elementwise();
            Tensor x = tensors.random(dtype, 1, count);
            Tensor sum = tensors.random(dtype, 2, count);
            Tensor most = tensors.tensor(dtype, i -> i % 3 == 0 ? Double.NaN : i % 7, count);
            Tensor some = tensors.tensor(dtype, i -> i % 5 == 0 ? Double.NaN : 3, count + 1L);
            Tensor scaled = tensors.random(dtype, 3, count);
            Tensor filled = tensors.empty(dtype, count + 2L);
            elementwise.add(tensors.queue(), x, sum);
            elementwise.maximum(tensors.queue(), some.view(1, Shape.of(count)), most);
            elementwise.scale(tensors.queue(), scaled, 1.7);
            elementwise.fill(tensors.queue(), filled.view(1, Shape.of(count)), 0.3);
            return List.of(sum, most, scaled, filled);
        }));
        if (dtype == DType.BF16) {
            cases.add(new KernelCase("elementwise.add BF16 to FP32 " + count, KernelCases.FP32, (tensors, kernels) -> {
                Tensor x = tensors.random(DType.BF16, 1, count);
                Tensor into = tensors.random(DType.FP32, 2, count);
                kernels.elementwise().add(tensors.queue(), x, into);
                return List.of(into);
            }));
        }
    }

    private static void softCap(List<KernelCase> cases, DType dtype, int count) {
        cases.add(new KernelCase(
                "softCap " + dtype + " " + count,
                dtype == DType.FP64 ? KernelCases.FP64 : KernelCases.FP32,
                (tensors, kernels) -> {
                    var softCap = kernels.softCap().orElseThrow();
                    Tensor x = tensors.tensor(dtype, i -> i % 97 == 0 ? Double.NaN : 100 * Math.sin(i), count);
                    Tensor capped = tensors.random(dtype, 1, count);
                    Tensor dy = tensors.random(dtype, 2, count);
                    softCap.cap(tensors.queue(), x, 30);
                    softCap.gradient(tensors.queue(), capped, 1.5, dy);
                    return List.of(x, dy);
                }));
    }

    private static void ofOptimizers(List<KernelCase> cases, DType dtype, int count) {
        double tolerance = dtype == DType.FP64 ? KernelCases.FP64 : KernelCases.FP32;
        cases.add(new KernelCase("arithmetic " + dtype + " " + count, tolerance, (tensors, kernels) -> {
            var arithmetic = kernels.arithmetic().orElseThrow();
            Tensor x = tensors.random(dtype, 1, count + 1L).view(1, Shape.of(count));
            Tensor half = tensors.tensor(DType.FP64, i -> 0.5, 1);
            Tensor mixed = tensors.random(dtype, 2, count);
            Tensor unread = tensors.tensor(dtype, i -> Double.NaN, count + 1L);
            Tensor product = tensors.random(dtype, 3, count);
            Tensor quotient = tensors.random(dtype, 4, count);
            Tensor divisor = tensors.tensor(dtype, i -> 0.5 + i % 7, count);
            Tensor root = tensors.tensor(dtype, i -> i % 11 == 0 ? -1 : i, count);
            Tensor sign = tensors.tensor(dtype, i -> i % 3 == 0 ? ElementCases.anything(i) : i % 5 - 2, count);
            arithmetic.axpby(tensors.queue(), Factor.of(0.3, half), x, 0.9, mixed);
            arithmetic.axpby(tensors.queue(), Factor.of(-1.7), x, 0, unread.view(1, Shape.of(count)));
            arithmetic.multiply(tensors.queue(), x, product);
            arithmetic.divide(tensors.queue(), divisor, 1e-3, quotient);
            arithmetic.squareRoot(tensors.queue(), root);
            arithmetic.sign(tensors.queue(), sign);
            arithmetic.multiply(tensors.queue(), divisor, divisor);
            return List.of(mixed, unread, product, quotient, root, sign, divisor);
        }));
    }

    private static void copy(List<KernelCase> cases, DType from, DType to, int count) {
        cases.add(new KernelCase("elementwise.copy " + from + " to " + to + " " + count, 0, (tensors, kernels) -> {
            // All magnitudes of 8-bit types and some beyond, and special values.
            Tensor source = tensors.tensor(from, ElementCases::anything, count + 1L);
            Tensor target = tensors.empty(to, count);
            Tensor odd = tensors.empty(to, count + 1L);
            kernels.elementwise().copy(tensors.queue(), source.view(0, Shape.of(count)), target);
            kernels.elementwise().copy(tensors.queue(), source.view(1, Shape.of(count)), odd.view(1, Shape.of(count)));
            return List.of(target, odd);
        }));
    }

    private static void copyColumns(List<KernelCase> cases, DType dtype, Size size) {
        String name = "elementwise.copyColumns " + dtype + " " + size.rows() + " x " + size.columns();
        cases.add(new KernelCase(name, 0, (tensors, kernels) -> {
            Tensor left = tensors.tensor(dtype, ElementCases::anything, size.rows(), size.columns());
            Tensor right = tensors.tensor(dtype, i -> i % 7, size.rows(), 3);
            Tensor joined = tensors.empty(dtype, size.rows(), size.columns() + 3L);
            kernels.elementwise().copyColumns(tensors.queue(), left, joined, 0);
            kernels.elementwise().copyColumns(tensors.queue(), right, joined, size.columns());
            Tensor leftAgain = tensors.empty(dtype, size.rows(), size.columns());
            Tensor rightAgain = tensors.empty(dtype, size.rows(), 3);
            kernels.elementwise().copyFromColumns(tensors.queue(), joined, 0, leftAgain);
            kernels.elementwise().copyFromColumns(tensors.queue(), joined, size.columns(), rightAgain);
            return List.of(joined, leftAgain, rightAgain);
        }));
    }

    private static double anything(long i) {
        return switch ((int) (i % 11)) {
            case 0 -> Double.NaN;
            case 1 -> Double.NEGATIVE_INFINITY;
            case 2 -> -0.0;
            default -> (i % 2 == 0 ? 1 : -1) * Math.scalb(1 + (i * 37 % 64) / 64.0, (int) (i % 40) - 20);
        };
    }
}
