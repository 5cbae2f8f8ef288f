package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.launch.Workspace;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.devicecuda.internal.stream.Launch;
import io.hirundo.kernel.LossKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** Kernels of {@code loss.cu}, with one block per token. Labels are not checked beforehand: an invalid label makes the loss NaN. */
record CudaLoss(Modules modules, Workspace workspace) implements LossKernels {
    private static final String FILE = "loss";
    private static final int THREADS = 512;
    private static final long MAX_TOKENS = Workspace.BYTES / Double.BYTES;

    @Override
    public void crossEntropy(Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, Tensor lossSum1) {
        inParts(queue, "cross_entropy", null, logitsTV, labelsT, weightsT, lossSum1);
    }

    @Override
    public void crossEntropyWithGradient(
            Queue queue, Tensor logitsTV, Tensor labelsT, Tensor weightsT, double gradientScale, Tensor lossSum1) {
        inParts(queue, "cross_entropy_gradient", gradientScale, logitsTV, labelsT, weightsT, lossSum1);
    }

    /** In parts of as many tokens as fit into the workspace. */
    private void inParts(
            Queue queue,
            String kernel,
            Double gradientScale,
            Tensor logitsTV,
            Tensor labelsT,
            Tensor weightsT,
            Tensor lossSum1) {
        CudaTensor logits = CudaTensor.CHECK.floating("logitsTV", logitsTV);
        long tokens = logits.shape().rows();
        long vocabulary = logits.shape().columns();
        CudaTensor labels = CudaTensor.CHECK.vector("labelsT", labelsT, tokens, DType.INT32);
        CudaTensor weights = CudaTensor.CHECK.vector("weightsT", weightsT, tokens, DType.FP32);
        CudaTensor lossSum = CudaTensor.CHECK.vector("lossSum1", lossSum1, 1, DType.FP64);
        for (long first = 0; first < tokens; first += MAX_TOKENS) {
            long count = Math.min(MAX_TOKENS, tokens - first);
            CudaTensor rows =
                    CudaTensor.CHECK.of("logitsTV", logits.view(first * vocabulary, Shape.of(count, vocabulary)));
            CudaTensor labelsOfRows = CudaTensor.CHECK.of("labelsT", labels.view(first, Shape.of(count)));
            CudaTensor weightsOfRows = CudaTensor.CHECK.of("weightsT", weights.view(first, Shape.of(count)));
            workspace.use(queue, losses -> {
                Launch launch = modules.launch(queue, FILE, kernel + CudaTensor.suffix(rows))
                        .tensor(rows)
                        .tensor(labelsOfRows)
                        .tensor(weightsOfRows);
                if (gradientScale != null) {
                    launch.real(gradientScale);
                }
                launch.integer(losses).integer(vocabulary).run(count, THREADS);
                modules.launch(queue, FILE, "add_losses")
                        .integer(losses)
                        .integer(count)
                        .tensor(lossSum)
                        .run(1, THREADS);
            });
        }
    }

    @Override
    public void maximum(Queue queue, Tensor logitsTV, Tensor maximumT) {
        CudaTensor logits = CudaTensor.CHECK.floating("logitsTV", logitsTV);
        modules.launch(queue, FILE, "maximum" + CudaTensor.suffix(logits))
                .tensor(logits)
                .tensor(maximumOf(logits, maximumT))
                .integer(logits.shape().columns())
                .run(logits.shape().rows(), THREADS);
    }

    @Override
    public void partialSums(
            Queue queue, Tensor logitsTV, Tensor labelsT, int firstToken, Tensor maximumT, Tensor sums2T) {
        CudaTensor logits = CudaTensor.CHECK.floating("logitsTV", logitsTV);
        modules.launch(queue, FILE, "partial_sums" + CudaTensor.suffix(logits))
                .tensor(logits)
                .tensor(labels(logits, labelsT, firstToken))
                .integer(firstToken)
                .tensor(maximumOf(logits, maximumT))
                .tensor(sums(logits, sums2T))
                .integer(logits.shape().rows())
                .integer(logits.shape().columns())
                .run(logits.shape().rows(), THREADS);
    }

    @Override
    public void lossOfSums(Queue queue, Tensor sums2T, Tensor weightsT, Tensor lossSum1) {
        CudaTensor weights = CudaTensor.CHECK.of("weightsT", weightsT, DType.FP32);
        CudaTensor sums = CudaTensor.CHECK.of("sums2T", sums2T, DType.FP32, DType.FP64);
        CudaTensor.CHECK.exactly("sums2T", sums2T, Shape.of(2, weights.elements()), sums.dtype());
        modules.launch(queue, FILE, "loss_of_sums" + CudaTensor.suffix(sums))
                .tensor(sums)
                .tensor(weights)
                .integer(weights.elements())
                .tensor(CudaTensor.CHECK.vector("lossSum1", lossSum1, 1, DType.FP64))
                .run(1, THREADS);
    }

    @Override
    public void gradientOfSums(
            Queue queue,
            Tensor logitsTV,
            Tensor labelsT,
            int firstToken,
            Tensor maximumT,
            Tensor sums2T,
            Tensor weightsT,
            double gradientScale) {
        CudaTensor logits = CudaTensor.CHECK.floating("logitsTV", logitsTV);
        modules.launch(queue, FILE, "gradient_of_sums" + CudaTensor.suffix(logits))
                .tensor(logits)
                .tensor(labels(logits, labelsT, firstToken))
                .integer(firstToken)
                .tensor(maximumOf(logits, maximumT))
                .tensor(sums(logits, sums2T))
                .tensor(CudaTensor.CHECK.vector(
                        "weightsT", weightsT, logits.shape().rows(), DType.FP32))
                .real(gradientScale)
                .integer(logits.shape().columns())
                .run(logits.shape().rows(), THREADS);
    }

    private static CudaTensor labels(CudaTensor logits, Tensor labelsT, int firstToken) {
        if (firstToken < 0) {
            throw new IllegalArgumentException("firstToken is " + firstToken + ", but tokens count from 0");
        }
        return CudaTensor.CHECK.vector("labelsT", labelsT, logits.shape().rows(), DType.INT32);
    }

    private static CudaTensor maximumOf(CudaTensor logits, Tensor maximumT) {
        return CudaTensor.CHECK.vector(
                "maximumT", maximumT, logits.shape().rows(), logits.dtype().statisticsType());
    }

    private static CudaTensor sums(CudaTensor logits, Tensor sums2T) {
        return CudaTensor.CHECK.exactly(
                "sums2T",
                sums2T,
                Shape.of(2, logits.shape().rows()),
                logits.dtype().statisticsType());
    }
}
