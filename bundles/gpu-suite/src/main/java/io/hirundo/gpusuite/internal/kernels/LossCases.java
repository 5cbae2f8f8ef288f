package io.hirundo.gpusuite.internal.kernels;

import io.hirundo.gpusuite.internal.kernels.KernelCases.Size;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Random;

/** Cross-entropy over the full vocabulary and over a shard of it, with masked tokens and infinite logits. */
final class LossCases {
    private LossCases() {}

    static void add(List<KernelCase> cases, Size size) {
        for (DType dtype : List.of(DType.FP32, DType.BF16, DType.FP64)) {
            double tolerance = dtype == DType.FP64 ? KernelCases.FP64 : KernelCases.FP32;
            whole(cases, " " + dtype + " " + size, tolerance, dtype, size.rows(), size.columns());
            part(cases, " " + dtype + " " + size, tolerance, dtype, size.rows(), size.columns());
        }
    }

    private static Tensor logits(CaseTensors tensors, DType dtype, int rows, int columns) {
        var random = new Random(1);
        return tensors.tensor(
                dtype, i -> i % 13 == 5 ? Double.NEGATIVE_INFINITY : 4 * random.nextGaussian(), rows, columns);
    }

    /** Labels of columns with finite logits. */
    private static Tensor labels(CaseTensors tensors, int rows, int columns) {
        return tensors.tensor(
                DType.INT32, t -> (t * columns + t % columns) % 13 == 5 ? (t + 1) % columns : t % columns, rows);
    }

    private static Tensor weights(CaseTensors tensors, int rows) {
        return tensors.tensor(DType.FP32, t -> t % 3 == 1 ? 0 : 1 + t % 2, rows);
    }

    private static void whole(List<KernelCase> cases, String of, double tolerance, DType dtype, int rows, int columns) {
        cases.add(new KernelCase("loss.crossEntropy" + of, tolerance, (tensors, kernels) -> {
            Tensor logits = logits(tensors, dtype, rows, columns);
            Tensor labels = labels(tensors, rows, columns);
            Tensor weights = weights(tensors, rows);
            Tensor loss = tensors.tensor(DType.FP64, i -> 2, 1);
            Tensor lossAgain = tensors.tensor(DType.FP64, i -> 3, 1);
            kernels.loss().crossEntropy(tensors.queue(), logits, labels, weights, loss);
            kernels.loss().crossEntropyWithGradient(tensors.queue(), logits, labels, weights, 0.25, lossAgain);
            return List.of(loss, lossAgain, logits);
        }));
    }

    private static void part(List<KernelCase> cases, String of, double tolerance, DType dtype, int rows, int columns) {
        DType statistics = dtype.statisticsType();
        int firstToken = 2;
        cases.add(new KernelCase("loss of a part" + of, tolerance, (tensors, kernels) -> {
            Tensor logits = logits(tensors, dtype, rows, columns);
            Tensor labels = labels(tensors, rows, columns);
            Tensor weights = weights(tensors, rows);
            Tensor largest = tensors.empty(statistics, rows);
            Tensor maximum = tensors.tensor(statistics, t -> 9 + t % 3, rows);
            Tensor sums = tensors.empty(statistics, 2, rows);
            Tensor loss = tensors.tensor(DType.FP64, i -> 2, 1);
            kernels.loss().maximum(tensors.queue(), logits, largest);
            kernels.loss().partialSums(tensors.queue(), logits, labels, firstToken, maximum, sums);
            kernels.loss().lossOfSums(tensors.queue(), sums, weights, loss);
            kernels.loss().gradientOfSums(tensors.queue(), logits, labels, firstToken, maximum, sums, weights, 0.25);
            return List.of(largest, sums, loss, logits);
        }));
    }
}
