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
        cases.add(new KernelCase(
                "stochastic rounding " + size.rows() + " x " + size.columns(), 0, (tensors, kernels) -> {
                    Tensor matrix = tensors.empty(DType.BF16, count);
                    Tensor vector = tensors.empty(DType.BF16, count);
                    var places = new Places(
                            0x123456789abcdefL,
                            (1L << 32) - 5,
                            size.columns() / 2,
                            size.columns(),
                            3L * size.columns());
                    kernels.find(StochasticRoundingKernels.class)
                            .orElseThrow()
                            .round(
                                    tensors.queue(),
                                    List.of(
                                            new Rounding(tensors.random(DType.FP32, 1, count), matrix, places),
                                            new Rounding(
                                                    tensors.random(DType.FP32, 2, count),
                                                    vector,
                                                    Places.consecutive(-7, 11))));
                    return List.of(matrix, vector);
                }));
    }

    /** Two updates of two tensors, the second one from quantized moments of the first. */
    private static void in8Bits(List<KernelCase> cases, int blocks) {
        cases.add(new KernelCase("optimizer in 8 bits " + blocks, KernelCases.FP32, (tensors, kernels) -> {
            int count = blocks * AdamW8BitKernels.BLOCK_ELEMENTS;
            Tensor one = tensors.random(DType.FP32, 2, count);
            Tensor other = tensors.random(DType.FP32, 4, 3 * AdamW8BitKernels.BLOCK_ELEMENTS);
            Tensor half = tensors.tensor(DType.FP64, i -> 0.5, 1);
            var updates = List.of(update(tensors, one, 1), update(tensors, other, 3));
            AdamW8BitKernels optimizer = kernels.find(AdamW8BitKernels.class).orElseThrow();
            optimizer.adamW(tensors.queue(), STEP, half, updates);
            optimizer.adamW(tensors.queue(), STEP, half, updates);
            return List.of(
                    one,
                    other,
                    updates.getFirst().first().scales(),
                    updates.getLast().second().scales());
        }));
    }

    private static AdamW8BitKernels.Update update(CaseTensors tensors, Tensor parameter, int seed) {
        int count = Math.toIntExact(parameter.elements());
        return new AdamW8BitKernels.Update(
                tensors.random(DType.FP32, seed, count), parameter, moment(tensors, count), moment(tensors, count));
    }

    private static AdamW8BitKernels.Moment moment(CaseTensors tensors, int count) {
        return new AdamW8BitKernels.Moment(
                tensors.tensor(DType.INT32, i -> 0, count / 4),
                tensors.tensor(DType.FP32, i -> 0, count / AdamW8BitKernels.BLOCK_ELEMENTS));
    }

    private static void one(List<KernelCase> cases, DType dtype, int count) {
        double tolerance = dtype == DType.FP64 ? KernelCases.FP64 : KernelCases.FP32;
        cases.add(new KernelCase("optimizer " + dtype + " " + count, tolerance, (tensors, kernels) -> {
            var optimizer = kernels.optimizer();
            Tensor gradient = tensors.random(dtype, 1, count);
            Tensor parameter = tensors.random(dtype, 2, count);
            Tensor first = tensors.random(dtype, 3, count);
            Tensor second = tensors.tensor(dtype, i -> 0.1 + i % 5, count);
            Tensor squares = tensors.tensor(DType.FP64, i -> 3, 1);
            Tensor norm = tensors.empty(DType.FP64, 1);
            Tensor coefficient = tensors.empty(DType.FP64, 1);
            Tensor unclipped = tensors.empty(DType.FP64, 1);
            optimizer.addSumOfSquares(tensors.queue(), gradient, squares);
            optimizer.clipCoefficient(tensors.queue(), squares, Double.POSITIVE_INFINITY, norm, unclipped);
            optimizer.clipCoefficient(tensors.queue(), squares, 1, norm, coefficient);
            optimizer.adamW(tensors.queue(), STEP, coefficient, gradient, parameter, first, second);
            return List.of(squares, norm, coefficient, unclipped, parameter, first, second);
        }));
    }

    /** One launch and separate launches must be bitwise equal, so the difference is zero, as on the reference. */
    private static void several(List<KernelCase> cases, DType dtype, int count) {
        cases.add(new KernelCase(
                "optimizer of several less each alone " + dtype + " " + count, 0, (tensors, kernels) -> {
                    List<Tensor> together = updated(tensors, kernels.optimizer(), dtype, count, true);
                    List<Tensor> alone = updated(tensors, kernels.optimizer(), dtype, count, false);
                    for (int i = 0; i < alone.size(); i++) {
                        kernels.elementwise().scale(tensors.queue(), alone.get(i), -1);
                        kernels.elementwise().add(tensors.queue(), together.get(i), alone.get(i));
                    }
                    return alone;
                }));
    }

    private static List<Tensor> updated(
            CaseTensors tensors, OptimizerKernels optimizer, DType dtype, int count, boolean together) {
        Tensor gradient = tensors.random(dtype, 1, count);
        Tensor parameter = tensors.random(dtype, 2, count);
        Tensor first = tensors.random(dtype, 3, count);
        Tensor second = tensors.tensor(dtype, i -> 0.1 + i % 5, count);
        Tensor squares = tensors.tensor(DType.FP64, i -> 3, 1);
        Tensor half = tensors.tensor(DType.FP64, i -> 0.5, 1);
        List<Tensor> gradients = pieces(gradient);
        List<Tensor> parameters = pieces(parameter);
        List<Tensor> firsts = pieces(first);
        List<Tensor> seconds = pieces(second);
        List<AdamWOperands> operands = IntStream.range(0, gradients.size())
                .mapToObj(i -> new AdamWOperands(gradients.get(i), parameters.get(i), firsts.get(i), seconds.get(i)))
                .toList();
        if (together) {
            optimizer.addSumOfSquares(tensors.queue(), gradients, squares);
            optimizer.adamW(tensors.queue(), STEP, half, operands);
        } else {
            gradients.forEach(each -> optimizer.addSumOfSquares(tensors.queue(), each, squares));
            operands.forEach(each -> optimizer.adamW(tensors.queue(), STEP, half, List.of(each)));
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
