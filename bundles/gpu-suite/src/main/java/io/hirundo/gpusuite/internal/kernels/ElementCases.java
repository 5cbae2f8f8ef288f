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
        cases.add(new KernelCase("elementwise" + of, dtype == DType.FP64 ? 0 : KernelCases.FP32, (trial, kernels) -> {
            var elementwise = kernels.elementwise();
            Tensor x = trial.random(dtype, 1, count);
            Tensor sum = trial.random(dtype, 2, count);
            Tensor most = trial.tensor(dtype, i -> i % 3 == 0 ? Double.NaN : i % 7, count);
            Tensor some = trial.tensor(dtype, i -> i % 5 == 0 ? Double.NaN : 3, count + 1L);
            Tensor scaled = trial.random(dtype, 3, count);
            Tensor filled = trial.empty(dtype, count + 2L);
            elementwise.add(trial.queue(), x, sum);
            elementwise.maximum(trial.queue(), some.view(1, Shape.of(count)), most);
            elementwise.scale(trial.queue(), scaled, 1.7);
            elementwise.fill(trial.queue(), filled.view(1, Shape.of(count)), 0.3);
            return List.of(sum, most, scaled, filled);
        }));
        if (dtype == DType.BF16) {
            cases.add(new KernelCase("elementwise.add BF16 to FP32 " + count, KernelCases.FP32, (trial, kernels) -> {
                Tensor x = trial.random(DType.BF16, 1, count);
                Tensor into = trial.random(DType.FP32, 2, count);
                kernels.elementwise().add(trial.queue(), x, into);
                return List.of(into);
            }));
        }
    }

    private static void softCap(List<KernelCase> cases, DType dtype, int count) {
        cases.add(new KernelCase(
                "softCap " + dtype + " " + count,
                dtype == DType.FP64 ? KernelCases.FP64 : KernelCases.FP32,
                (trial, kernels) -> {
                    var softCap = kernels.softCap().orElseThrow();
                    Tensor x = trial.tensor(dtype, i -> i % 97 == 0 ? Double.NaN : 100 * Math.sin(i), count);
                    Tensor capped = trial.random(dtype, 1, count);
                    Tensor dy = trial.random(dtype, 2, count);
                    softCap.cap(trial.queue(), x, 30);
                    softCap.gradient(trial.queue(), capped, 1.5, dy);
                    return List.of(x, dy);
                }));
    }

    private static void ofOptimizers(List<KernelCase> cases, DType dtype, int count) {
        double tolerance = dtype == DType.FP64 ? KernelCases.FP64 : KernelCases.FP32;
        cases.add(new KernelCase("arithmetic " + dtype + " " + count, tolerance, (trial, kernels) -> {
            var arithmetic = kernels.arithmetic().orElseThrow();
            Tensor x = trial.random(dtype, 1, count + 1L).view(1, Shape.of(count));
            Tensor half = trial.tensor(DType.FP64, i -> 0.5, 1);
            Tensor mixed = trial.random(dtype, 2, count);
            Tensor unread = trial.tensor(dtype, i -> Double.NaN, count + 1L);
            Tensor product = trial.random(dtype, 3, count);
            Tensor quotient = trial.random(dtype, 4, count);
            Tensor divisor = trial.tensor(dtype, i -> 0.5 + i % 7, count);
            Tensor root = trial.tensor(dtype, i -> i % 11 == 0 ? -1 : i, count);
            Tensor sign = trial.tensor(dtype, i -> i % 3 == 0 ? ElementCases.anything(i) : i % 5 - 2, count);
            arithmetic.axpby(trial.queue(), Factor.of(0.3, half), x, 0.9, mixed);
            arithmetic.axpby(trial.queue(), Factor.of(-1.7), x, 0, unread.view(1, Shape.of(count)));
            arithmetic.multiply(trial.queue(), x, product);
            arithmetic.divide(trial.queue(), divisor, 1e-3, quotient);
            arithmetic.squareRoot(trial.queue(), root);
            arithmetic.sign(trial.queue(), sign);
            arithmetic.multiply(trial.queue(), divisor, divisor);
            return List.of(mixed, unread, product, quotient, root, sign, divisor);
        }));
    }

    private static void copy(List<KernelCase> cases, DType from, DType to, int count) {
        cases.add(new KernelCase("elementwise.copy " + from + " to " + to + " " + count, 0, (trial, kernels) -> {
            // All magnitudes of 8-bit types and some beyond, and special values.
            Tensor source = trial.tensor(from, ElementCases::anything, count + 1L);
            Tensor target = trial.empty(to, count);
            Tensor odd = trial.empty(to, count + 1L);
            kernels.elementwise().copy(trial.queue(), source.view(0, Shape.of(count)), target);
            kernels.elementwise().copy(trial.queue(), source.view(1, Shape.of(count)), odd.view(1, Shape.of(count)));
            return List.of(target, odd);
        }));
    }

    private static void copyColumns(List<KernelCase> cases, DType dtype, Size size) {
        String name = "elementwise.copyColumns " + dtype + " " + size.rows() + " x " + size.columns();
        cases.add(new KernelCase(name, 0, (trial, kernels) -> {
            Tensor left = trial.tensor(dtype, ElementCases::anything, size.rows(), size.columns());
            Tensor right = trial.tensor(dtype, i -> i % 7, size.rows(), 3);
            Tensor joined = trial.empty(dtype, size.rows(), size.columns() + 3L);
            kernels.elementwise().copyColumns(trial.queue(), left, joined, 0);
            kernels.elementwise().copyColumns(trial.queue(), right, joined, size.columns());
            Tensor leftAgain = trial.empty(dtype, size.rows(), size.columns());
            Tensor rightAgain = trial.empty(dtype, size.rows(), 3);
            kernels.elementwise().copyFromColumns(trial.queue(), joined, 0, leftAgain);
            kernels.elementwise().copyFromColumns(trial.queue(), joined, size.columns(), rightAgain);
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
