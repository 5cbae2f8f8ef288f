package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.Grid;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.launch.Workspace;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.kernel.NormKernels;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * Kernels of {@code norm.cu}, with one block per token; for weight gradients one block per group of channels and slice of tokens.
 *
 * @param workspace for the partial sums of slices
 */
record CudaNorm(Modules modules, Workspace workspace) implements NormKernels {
    private static final String FILE = "norm";
    private static final long CHANNELS_OF_BLOCK = 32;
    private static final int TOKENS_OF_SLICE = 128;

    @Override
    public void forward(Queue queue, Tensor xTC, Tensor weightC, double epsilon, Tensor yTC, Tensor inverseRmsT) {
        CudaTensor x = CudaTensor.CHECK.floating("xTC", xTC);
        CudaTensor weight = weight(x, "weightC", weightC);
        modules.launch(queue, FILE, name("forward", x, weight))
                .tensor(x)
                .tensor(weight)
                .real(epsilon)
                .tensor(like(x, "yTC", yTC))
                .tensor(inverseRms(x, inverseRmsT))
                .integer(x.shape().columns())
                .run(x.shape().rows(), Grid.THREADS);
    }

    @Override
    public void addForward(
            Queue queue,
            Tensor xTC,
            Tensor deltaTC,
            Tensor weightC,
            double epsilon,
            Tensor sumTC,
            Tensor yTC,
            Tensor inverseRmsT) {
        CudaTensor x = CudaTensor.CHECK.floating("xTC", xTC);
        CudaTensor weight = weight(x, "weightC", weightC);
        modules.launch(queue, FILE, name("add_forward", x, weight))
                .tensor(x)
                .tensor(like(x, "deltaTC", deltaTC))
                .tensor(weight)
                .real(epsilon)
                .tensor(like(x, "sumTC", sumTC))
                .tensor(like(x, "yTC", yTC))
                .tensor(inverseRms(x, inverseRmsT))
                .integer(x.shape().columns())
                .run(x.shape().rows(), Grid.THREADS);
    }

    @Override
    public void reapply(Queue queue, Tensor xTC, Tensor weightC, Tensor inverseRmsT, Tensor yTC) {
        CudaTensor x = CudaTensor.CHECK.floating("xTC", xTC);
        CudaTensor weight = weight(x, "weightC", weightC);
        modules.launch(queue, FILE, name("reapply", x, weight))
                .tensor(x)
                .tensor(weight)
                .tensor(inverseRms(x, inverseRmsT))
                .tensor(like(x, "yTC", yTC))
                .integer(x.shape().columns())
                .run(x.shape().rows(), Grid.THREADS);
    }

    @Override
    public void backwardInput(
            Queue queue,
            Tensor dyTC,
            Tensor xTC,
            Tensor weightC,
            Tensor inverseRmsT,
            Tensor residualGradientTC,
            Tensor dxTC) {
        CudaTensor x = CudaTensor.CHECK.floating("xTC", xTC);
        CudaTensor weight = weight(x, "weightC", weightC);
        modules.launch(queue, FILE, name("backward_input", x, weight))
                .tensor(like(x, "dyTC", dyTC))
                .tensor(x)
                .tensor(weight)
                .tensor(inverseRms(x, inverseRmsT))
                .tensor(residualGradientTC == null ? null : like(x, "residualGradientTC", residualGradientTC))
                .tensor(like(x, "dxTC", dxTC))
                .integer(x.shape().columns())
                .run(x.shape().rows(), Grid.THREADS);
    }

    @Override
    public void backwardWeight(Queue queue, Tensor dyTC, Tensor xTC, Tensor inverseRmsT, Tensor dwC) {
        CudaTensor x = CudaTensor.CHECK.floating("xTC", xTC);
        CudaTensor dw = weight(x, "dwC", dwC);
        CudaTensor dy = like(x, "dyTC", dyTC);
        CudaTensor inverseRms = inverseRms(x, inverseRmsT);
        long tokens = x.shape().rows();
        long channels = x.shape().columns();
        long bytesOfSlice = Math.max(1, channels * inverseRms.dtype().byteSize());
        long most = Workspace.BYTES / bytesOfSlice * TOKENS_OF_SLICE;
        if (most == 0) {
            throw new IllegalArgumentException("xTC has " + channels + " columns: device cuda sums gradients of "
                    + Workspace.BYTES / inverseRms.dtype().byteSize() + " at most");
        }
        for (long first = 0; first < tokens; first += most) {
            long count = Math.min(most, tokens - first);
            addGradient(
                    queue,
                    part(dy, first, count),
                    part(x, first, count),
                    CudaTensor.CHECK.of("inverseRmsT", inverseRms.view(first, Shape.of(count))),
                    dw);
        }
    }

    private static CudaTensor part(CudaTensor matrix, long firstRow, long rows) {
        long columns = matrix.shape().columns();
        return CudaTensor.CHECK.of("part", matrix.view(firstRow * columns, Shape.of(rows, columns)));
    }

    private void addGradient(Queue queue, CudaTensor dy, CudaTensor x, CudaTensor inverseRms, CudaTensor dw) {
        long tokens = x.shape().rows();
        long channels = x.shape().columns();
        long slices = Math.ceilDiv(tokens, (long) TOKENS_OF_SLICE);
        int atOnce = CudaTensor.ALIGNMENT_BYTES / x.dtype().byteSize();
        boolean whole = channels % atOnce == 0 && x.isAligned() && dy.isAligned();
        workspace.use(queue, partial -> {
            modules.launch(queue, FILE, "sum_slice" + (whole ? "_whole" : "") + CudaTensor.suffix(x))
                    .tensor(dy)
                    .tensor(x)
                    .tensor(inverseRms)
                    .integer(partial)
                    .integer(tokens)
                    .integer(channels)
                    .run(Math.ceilDiv(channels, CHANNELS_OF_BLOCK * (whole ? atOnce : 1)), slices, Grid.THREADS);
            modules.launch(queue, FILE, name("add_slices", x, dw))
                    .integer(partial)
                    .tensor(dw)
                    .integer(slices)
                    .integer(channels)
                    .run(Math.ceilDiv(channels, CHANNELS_OF_BLOCK), Grid.THREADS);
        });
    }

    private static String name(String kernel, CudaTensor x, CudaTensor weight) {
        return kernel + CudaTensor.suffix(x) + CudaTensor.suffix(weight);
    }

    private static CudaTensor like(CudaTensor x, String name, Tensor tensor) {
        return CudaTensor.CHECK.matrix(name, tensor, x.shape().rows(), x.shape().columns(), x.dtype());
    }

    /** FP32 weights are also allowed with BF16 activations. */
    private static CudaTensor weight(CudaTensor x, String name, Tensor tensor) {
        return CudaTensor.CHECK.vector(
                name, tensor, x.shape().columns(), x.dtype(), x.dtype().statisticsType());
    }

    private static CudaTensor inverseRms(CudaTensor x, Tensor inverseRmsT) {
        return CudaTensor.CHECK.vector(
                "inverseRmsT", inverseRmsT, x.shape().rows(), x.dtype().statisticsType());
    }
}
