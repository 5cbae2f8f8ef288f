package io.hirundo.gpusuite.internal.kernels;

import io.hirundo.gpusuite.internal.kernels.KernelCases.Size;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.kernel.optimizer.OptimizerKernels.AdamWOperands;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels.Places;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels.Rounding;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Optimizer kernels, for one tensor and for several tensors in one launch. */
final class OptimizerCases {
    private static final AdamWCoefficients STEP = new AdamWCoefficients(1e-2, 0.9, 0.95, 1e-8, 0.1, 7);

    /** More tensors than a launch takes; most have few elements. */
    private static final int MAX_PIECES = 250;

    private OptimizerCases() {}

    static void add(List<KernelCase> cases, Size size) {
        int count = size.rows() * size.columns();
        for (DType dtype : List.of(DType.FP32, DType.BF16, DType.FP64)) {
            one(cases, dtype, count);
            several(cases, dtype, count);
        }
        in8Bits(cases, Math.max(1, count / AdamW8BitKernels.BLOCK_ELEMENTS));
        rounded(cases, size);
    }

    /** A matrix of which a rank has some columns, from the middle of its first row on, and a vector; both are exactly the reference. */
    private static void rounded(List<KernelCase> cases, Size size) {
        int count = size.rows() * size.columns();
        cases.add(new KernelCase("stochastic rounding " + size.rows() + " x " + size.columns(), 0, (trial, kernels) -> {
            Tensor matrix = trial.empty(DType.BF16, count);
            Tensor vector = trial.empty(DType.BF16, count);
            var places = new Places(
                    0x123456789abcdefL, (1L << 32) - 5, size.columns() / 2, size.columns(), 3L * size.columns());
            kernels.find(StochasticRoundingKernels.class)
                    .orElseThrow()
                    .round(
                            trial.queue(),
                            List.of(
                                    new Rounding(trial.random(DType.FP32, 1, count), matrix, places),
                                    new Rounding(
                                            trial.random(DType.FP32, 2, count), vector, Places.consecutive(-7, 11))));
            return List.of(matrix, vector);
        }));
    }

    /** Two updates of two tensors, the second one from quantized moments of the first. */
    private static void in8Bits(List<KernelCase> cases, int blocks) {
        cases.add(new KernelCase("optimizer in 8 bits " + blocks, KernelCases.FP32, (trial, kernels) -> {
            int count = blocks * AdamW8BitKernels.BLOCK_ELEMENTS;
            Tensor one = trial.random(DType.FP32, 2, count);
            Tensor other = trial.random(DType.FP32, 4, 3 * AdamW8BitKernels.BLOCK_ELEMENTS);
            Tensor half = trial.tensor(DType.FP64, i -> 0.5, 1);
            var updates = List.of(update(trial, one, 1), update(trial, other, 3));
            AdamW8BitKernels optimizer = kernels.find(AdamW8BitKernels.class).orElseThrow();
            optimizer.adamW(trial.queue(), STEP, half, updates);
            optimizer.adamW(trial.queue(), STEP, half, updates);
            return List.of(
                    one,
                    other,
                    updates.getFirst().first().scales(),
                    updates.getLast().second().scales());
        }));
    }

    private static AdamW8BitKernels.Update update(CaseTensors trial, Tensor parameter, int seed) {
        int count = Math.toIntExact(parameter.elements());
        return new AdamW8BitKernels.Update(
                trial.random(DType.FP32, seed, count), parameter, moment(trial, count), moment(trial, count));
    }

    private static AdamW8BitKernels.Moment moment(CaseTensors trial, int count) {
        return new AdamW8BitKernels.Moment(
                trial.tensor(DType.INT32, i -> 0, count / 4),
                trial.tensor(DType.FP32, i -> 0, count / AdamW8BitKernels.BLOCK_ELEMENTS));
    }

    private static void one(List<KernelCase> cases, DType dtype, int count) {
        double tolerance = dtype == DType.FP64 ? KernelCases.FP64 : KernelCases.FP32;
        cases.add(new KernelCase("optimizer " + dtype + " " + count, tolerance, (trial, kernels) -> {
            var optimizer = kernels.optimizer();
            Tensor gradient = trial.random(dtype, 1, count);
            Tensor parameter = trial.random(dtype, 2, count);
            Tensor first = trial.random(dtype, 3, count);
            Tensor second = trial.tensor(dtype, i -> 0.1 + i % 5, count);
            Tensor squares = trial.tensor(DType.FP64, i -> 3, 1);
            Tensor norm = trial.empty(DType.FP64, 1);
            Tensor coefficient = trial.empty(DType.FP64, 1);
            Tensor unclipped = trial.empty(DType.FP64, 1);
            optimizer.addSumOfSquares(trial.queue(), gradient, squares);
            optimizer.clipCoefficient(trial.queue(), squares, Double.POSITIVE_INFINITY, norm, unclipped);
            optimizer.clipCoefficient(trial.queue(), squares, 1, norm, coefficient);
            optimizer.adamW(trial.queue(), STEP, coefficient, gradient, parameter, first, second);
            return List.of(squares, norm, coefficient, unclipped, parameter, first, second);
        }));
    }

    /** One launch and separate launches must be bitwise equal, so the difference is zero, as on the reference. */
    private static void several(List<KernelCase> cases, DType dtype, int count) {
        cases.add(new KernelCase("optimizer of several less each alone " + dtype + " " + count, 0, (trial, kernels) -> {
            List<Tensor> together = updated(trial, kernels.optimizer(), dtype, count, true);
            List<Tensor> alone = updated(trial, kernels.optimizer(), dtype, count, false);
            for (int i = 0; i < alone.size(); i++) {
                kernels.elementwise().scale(trial.queue(), alone.get(i), -1);
                kernels.elementwise().add(trial.queue(), together.get(i), alone.get(i));
            }
            return alone;
        }));
    }

    private static List<Tensor> updated(
            CaseTensors trial, OptimizerKernels optimizer, DType dtype, int count, boolean together) {
        Tensor gradient = trial.random(dtype, 1, count);
        Tensor parameter = trial.random(dtype, 2, count);
        Tensor first = trial.random(dtype, 3, count);
        Tensor second = trial.tensor(dtype, i -> 0.1 + i % 5, count);
        Tensor squares = trial.tensor(DType.FP64, i -> 3, 1);
        Tensor half = trial.tensor(DType.FP64, i -> 0.5, 1);
        List<Tensor> gradients = pieces(gradient);
        List<Tensor> parameters = pieces(parameter);
        List<Tensor> firsts = pieces(first);
        List<Tensor> seconds = pieces(second);
        List<AdamWOperands> operands = IntStream.range(0, gradients.size())
                .mapToObj(i -> new AdamWOperands(gradients.get(i), parameters.get(i), firsts.get(i), seconds.get(i)))
                .toList();
        if (together) {
            optimizer.addSumOfSquares(trial.queue(), gradients, squares);
            optimizer.adamW(trial.queue(), STEP, half, operands);
        } else {
            gradients.forEach(each -> optimizer.addSumOfSquares(trial.queue(), each, squares));
            operands.forEach(each -> optimizer.adamW(trial.queue(), STEP, half, List.of(each)));
        }
        return List.of(squares, parameter, first, second);
    }

    /** Tensors of 0 to 22 elements, and the rest. */
    private static List<Tensor> pieces(Tensor whole) {
        var pieces = new ArrayList<Tensor>();
        long at = 0;
        while (pieces.size() < MAX_PIECES && at < whole.elements()) {
            long left = whole.elements() - at;
            long count = pieces.size() == MAX_PIECES - 1 ? left : Math.min(left, pieces.size() * 37 % 23);
            pieces.add(whole.view(at, Shape.of(count)));
            at += count;
        }
        return pieces;
    }
}
