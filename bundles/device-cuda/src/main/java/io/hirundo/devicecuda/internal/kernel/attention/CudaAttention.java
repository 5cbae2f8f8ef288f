package io.hirundo.devicecuda.internal.kernel.attention;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.CallMemory;
import io.hirundo.devicecuda.internal.launch.KernelVariants;
import io.hirundo.devicecuda.internal.launch.LogOnce;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.devicecuda.internal.stream.Launch;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.DocumentBounds;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryGradientSums;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.stream.Stream;

/**
 * Attention by {@link TiledAttention} if it supports the operands, otherwise by the naive kernels of {@code attention.cu}, or of
 * {@code attention_options.cu} for options; and the kernels of {@code rotary.cu}.
 *
 * @param onWarpgroups whether the tiled kernels are those for warpgroups, if available
 * @param variants kernels to run instead of others
 * @param multiprocessors number of persistent blocks
 * @param ofCalls memory in which these kernels accumulate dQ
 */
public record CudaAttention(
        Modules modules,
        boolean onWarpgroups,
        KernelVariants variants,
        int multiprocessors,
        CallMemory ofCalls,
        LogOnce log)
        implements AttentionKernels {
    private static final String FILE = "attention";
    private static final int THREADS = 128;

    @Override
    public void splitAndRotate(
            Queue queue,
            Heads heads,
            int sequences,
            Tensor qkvTE,
            Tensor cosPD2,
            Tensor sinPD2,
            Tensor positionsT,
            QueryKeyValue out) {
        CudaTensor fused = CudaTensor.CHECK.floating("qkvTE", qkvTE);
        rotate(queue, "split_and_rotate", heads, sequences, "qkvTE", fused, cosPD2, sinPD2, positionsT, out);
    }

    @Override
    public void rotateBackAndJoin(
            Queue queue,
            Heads heads,
            int sequences,
            QueryKeyValue gradient,
            Tensor cosPD2,
            Tensor sinPD2,
            Tensor positionsT,
            Tensor dqkvTE) {
        CudaTensor fused = CudaTensor.CHECK.floating("dqkvTE", dqkvTE);
        rotate(queue, "rotate_back_and_join", heads, sequences, "dqkvTE", fused, cosPD2, sinPD2, positionsT, gradient);
    }

    private void rotate(
            Queue queue,
            String kernel,
            Heads heads,
            int sequences,
            String fusedName,
            CudaTensor fused,
            Tensor cosPD2,
            Tensor sinPD2,
            Tensor positionsT,
            QueryKeyValue split) {
        long tokens = fused.shape().rows();
        if (sequences < 1 || tokens % sequences != 0) {
            throw new IllegalArgumentException(
                    fusedName + " has " + tokens + " rows, which are not " + sequences + " sequences");
        }
        CudaTensor.CHECK.matrix(fusedName, fused, tokens, heads.fusedChannels());
        long sequenceTokens = tokens / sequences;
        SplitOperands checked =
                SplitOperands.of("", split, sequences, sequenceTokens, sequenceTokens, heads, fused.dtype());
        CudaTensor cos = CudaTensor.CHECK.of("cosPD2", cosPD2, fused.dtype(), DType.FP32);
        long positions = cos.shape().rows();
        CudaTensor.CHECK.matrix("cosPD2", cosPD2, positions, heads.dim() / 2);
        modules.launch(queue, "rotary", kernel + CudaTensor.suffix(fused) + CudaTensor.suffix(cos))
                .integer(heads.query())
                .integer(heads.keyValue())
                .integer(heads.dim())
                .integer(sequenceTokens)
                .tensor(fused)
                .tensor(checked.query())
                .tensor(checked.key())
                .tensor(checked.value())
                .tensor(cos)
                .tensor(CudaTensor.CHECK.matrix("sinPD2", sinPD2, positions, heads.dim() / 2, cos.dtype()))
                .tensor(CudaTensor.CHECK.vector("positionsT", positionsT, tokens, DType.INT32))
                .integer(positions)
                .run(tokens, THREADS);
    }

    @Override
    public boolean supports(AttentionOptions options) {
        return true;
    }

    @Override
    public void forward(Queue queue, AttentionShape shape, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
        AttentionOperands checked = AttentionOperands.of(shape, in, outputTHD, logSumExpBHS);
        if (!TiledAttention.takes(log, shape, checked.tensors())) {
            forward(naive(queue, "forward", checked), checked)
                    .run(checked.logSumExp().elements(), THREADS);
            return;
        }
        boolean byWarpgroups = onWarpgroups && checked.hasTiles();
        TiledAttention kernel = byWarpgroups ? TiledAttention.forwardOnWarpgroups(variants) : TiledAttention.FORWARD;
        Launch launch = withExtents(tiled(queue, kernel, checked), checked);
        if (byWarpgroups) {
            // Tensor maps come before addresses in the parameters.
            TiledAttention.tiles(launch, checked.in().query(), TiledAttention.FORWARD_TILE);
            TiledAttention.tiles(launch, checked.in().key(), TiledAttention.FORWARD_TILE);
            TiledAttention.tiles(launch, checked.in().value(), TiledAttention.FORWARD_TILE);
        }
        forward(launch, checked);
        if (kernel == TiledAttention.PERSISTENT_FORWARD) {
            TiledAttention.runPersistent(launch, shape, multiprocessors);
        } else {
            kernel.run(launch, shape);
        }
    }

    private static Launch forward(Launch launch, AttentionOperands checked) {
        return launch.tensor(checked.in().query())
                .tensor(checked.in().key())
                .tensor(checked.in().value())
                .tensor(checked.output())
                .tensor(checked.logSumExp())
                .tensor(checked.starts());
    }

    @Override
    public void backward(
            Queue queue,
            AttentionShape shape,
            Tensor outputGradientTHD,
            QueryKeyValue in,
            Tensor outputTHD,
            Tensor logSumExpBHS,
            QueryKeyValue gradient) {
        AttentionOperands checked = AttentionOperands.of(shape, in, outputTHD, logSumExpBHS);
        CudaTensor outputGradient =
                AttentionOperands.rows(shape, checked.output().dtype(), "outputGradientTHD", outputGradientTHD);
        SplitOperands gradients = SplitOperands.of(
                "gradient.",
                gradient,
                shape.sequences(),
                shape.queryTokens(),
                shape.keyTokens(),
                shape.heads(),
                checked.output().dtype());
        var operands = Stream.of(checked.tensors(), gradients.tensors(), Stream.of(outputGradient))
                .flatMap(it -> it);
        if (TiledAttention.takes(log, shape, operands)) {
            tiledBackward(queue, checked, outputGradient, gradients);
            return;
        }
        withOperands(naive(queue, "backward_query", checked), checked, outputGradient)
                .tensor(gradients.query())
                .tensor(checked.starts())
                .run(checked.logSumExp().elements(), THREADS);
        withOperands(naive(queue, "backward_key", checked), checked, outputGradient)
                .tensor(gradients.key())
                .tensor(gradients.value())
                .tensor(checked.starts())
                .run((long) shape.sequences() * shape.heads().keyValue() * shape.keyTokens(), THREADS);
    }

    /** The order matters: until dQ is written, its memory contains what dK and dV need. */
    private void tiledBackward(
            Queue queue, AttentionOperands checked, CudaTensor outputGradient, SplitOperands gradients) {
        Launch delta = backward(tiled(queue, TiledAttention.DELTA, checked), checked, outputGradient)
                .tensor(gradients.query());
        TiledAttention.DELTA.run(delta, checked.shape());
        if (onWarpgroups && checked.hasTiles()) {
            ofCalls.use(
                    queue,
                    "the dQ accumulators",
                    QueryGradientSums.bytes(checked.shape(), checked.output().dtype()),
                    sums -> backwardOnWarpgroups(queue, checked, outputGradient, gradients, sums));
            return;
        }
        Launch keys = backward(tiled(queue, TiledAttention.KEYS, checked), checked, outputGradient)
                .tensor(gradients.query())
                .tensor(gradients.key())
                .tensor(gradients.value())
                .tensor(checked.starts());
        TiledAttention.KEYS.run(keys, checked.shape());
        Launch queries = backward(tiled(queue, TiledAttention.QUERIES, checked), checked, outputGradient)
                .tensor(gradients.query())
                .tensor(checked.starts());
        TiledAttention.QUERIES.run(queries, checked.shape());
    }

    private void backwardOnWarpgroups(
            Queue queue, AttentionOperands checked, CudaTensor outputGradient, SplitOperands gradients, long sums) {
        long tiles = QueryGradientSums.tiles(checked.shape());
        Launch begin = tiled(queue, TiledAttention.WARPGROUP_BEGIN, checked)
                .integer(tiles)
                .integer(sums);
        TiledAttention.WARPGROUP_BEGIN.run(begin, checked.shape());
        TiledAttention ofKeys = TiledAttention.keysOnWarpgroups(variants);
        Launch keys = withExtents(tiled(queue, ofKeys, checked), checked);
        TiledAttention.outputTiles(keys, checked.shape(), outputGradient, TiledAttention.BACKWARD_TILE);
        TiledAttention.tiles(keys, checked.in().query(), TiledAttention.BACKWARD_TILE);
        TiledAttention.tiles(keys, checked.in().key(), TiledAttention.BACKWARD_TILE);
        TiledAttention.tiles(keys, checked.in().value(), TiledAttention.BACKWARD_TILE);
        withOperands(keys, checked, outputGradient)
                .tensor(gradients.query())
                .tensor(gradients.key())
                .tensor(gradients.value())
                .tensor(checked.starts())
                .integer(sums);
        ofKeys.run(keys, checked.shape());
        Launch queries = backward(tiled(queue, TiledAttention.WARPGROUP_QUERIES, checked), checked, outputGradient)
                .tensor(gradients.query())
                .tensor(checked.starts())
                .integer(sums);
        TiledAttention.WARPGROUP_QUERIES.run(queries, checked.shape());
    }

    private static Launch backward(Launch launch, AttentionOperands checked, CudaTensor outputGradient) {
        return withOperands(withExtents(launch, checked), checked, outputGradient);
    }

    private static Launch withOperands(Launch launch, AttentionOperands checked, CudaTensor outputGradient) {
        return launch.tensor(outputGradient)
                .tensor(checked.in().query())
                .tensor(checked.in().key())
                .tensor(checked.in().value())
                .tensor(checked.output())
                .tensor(checked.logSumExp());
    }

    @Override
    public void merge(
            Queue queue,
            AttentionShape shape,
            Tensor partTHD,
            Tensor partLogSumExpBHS,
            Tensor outputTHD,
            Tensor logSumExpBHS) {
        CudaTensor output = CudaTensor.CHECK.floating("outputTHD", outputTHD);
        AttentionOperands.rows(shape, output.dtype(), "outputTHD", outputTHD);
        modules.launch(queue, FILE, "merge" + CudaTensor.suffix(output))
                .integer(shape.heads().query())
                .integer(shape.queryTokens())
                .integer(shape.heads().dim())
                .tensor(AttentionOperands.rows(shape, output.dtype(), "partTHD", partTHD))
                .tensor(AttentionOperands.logSumExp(shape, output.dtype(), "partLogSumExpBHS", partLogSumExpBHS))
                .tensor(output)
                .tensor(AttentionOperands.logSumExp(shape, output.dtype(), "logSumExpBHS", logSumExpBHS))
                .run(
                        (long) shape.sequences()
                                * shape.queryTokens()
                                * shape.heads().query(),
                        THREADS);
    }

    /** A launch with the extents and options. */
    private Launch naive(Queue queue, String kernel, AttentionOperands checked) {
        AttentionOptions options = checked.shape().effectiveOptions();
        String name = kernel + CudaTensor.suffix(checked.output());
        if (options.equals(AttentionOptions.NONE)) {
            return withExtents(modules.launch(queue, FILE, name), checked);
        }
        return withExtents(modules.launch(queue, FILE + "_options", name), checked)
                .integer(options.window().orElse(0))
                .real(options.scale(checked.shape().heads()))
                .real(options.softCap().orElse(0));
    }

    private Launch tiled(Queue queue, TiledAttention kernel, AttentionOperands checked) {
        return kernel.launch(modules, queue, checked.shape().heads().dim());
    }

    /** The first parameters of all these kernels. */
    private static Launch withExtents(Launch launch, AttentionOperands checked) {
        AttentionShape shape = checked.shape();
        return launch.integer(shape.heads().query())
                .integer(shape.heads().keyValue())
                .integer(shape.queryTokens())
                .integer(shape.keyTokens())
                .integer(shape.heads().dim())
                .integer(shape.causalOffset())
                .integer(shape.documents().map(DocumentBounds::firstKey).orElse(0));
    }
}
