package io.hirundo.devicecpu.internal.attention;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.rope.ReferenceRotary;
import io.hirundo.devicecpu.internal.rope.RotaryOperands;
import io.hirundo.devicecpu.internal.rope.VectorRotary;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * Attention with the Vector API, for FP32, and for BF16 that is widened tile by tile. FP64 operands, heads of more than
 * {@value AttentionTiles#MAX_HEAD_DIM} channels, and the backward of BF16 with more keys than a worker can sum up the gradients
 * of (at 64 channels some 3,000) go to {@link ReferenceAttention}.
 */
public final class VectorAttention implements AttentionKernels {
    private final WorkerPool pool;
    private final ReferenceAttention reference = new ReferenceAttention();

    public VectorAttention(WorkerPool pool) {
        this.pool = pool;
    }

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
        RotaryOperands operands = RotaryOperands.of(heads, sequences, "qkvTE", qkvTE, out, cosPD2, sinPD2, positionsT);
        if (operands.isFast()) {
            VectorRotary rotary = new VectorRotary(operands);
            Blocks.rows(pool, operands.tokens(), heads.fusedChannels(), rotary::splitAndRotate);
        } else {
            ReferenceRotary.splitAndRotate(operands);
        }
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
        RotaryOperands operands =
                RotaryOperands.of(heads, sequences, "dqkvTE", dqkvTE, gradient, cosPD2, sinPD2, positionsT);
        if (operands.isFast()) {
            VectorRotary rotary = new VectorRotary(operands);
            Blocks.rows(pool, operands.tokens(), heads.fusedChannels(), rotary::rotateBackAndJoin);
        } else {
            ReferenceRotary.rotateBackAndJoin(operands);
        }
    }

    @Override
    public boolean supports(AttentionOptions options) {
        return true;
    }

    @Override
    public void forward(Queue queue, AttentionShape shape, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
        AttentionOperands operands = AttentionOperands.of(shape, in, outputTHD, logSumExpBHS);
        if (!serves(operands)) {
            reference.forward(queue, shape, in, outputTHD, logSumExpBHS);
            return;
        }
        AttentionForward forward = new AttentionForward(operands);
        pool.run(forward.tasks(), forward::run);
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
        AttentionOperands operands = AttentionOperands.of(shape, in, outputTHD, logSumExpBHS);
        CpuTensor outputGradient = operands.outputGradient(outputGradientTHD);
        AttentionOperands.Inputs gradients = operands.gradient(gradient);
        if (!serves(operands) || !AttentionBackward.serves(shape, operands.dtype())) {
            reference.backward(queue, shape, outputGradientTHD, in, outputTHD, logSumExpBHS, gradient);
            return;
        }
        AttentionBackward backward = new AttentionBackward(operands, outputGradient, gradients);
        pool.run(backward.tasks(), backward::run);
    }

    @Override
    public void merge(
            Queue queue,
            AttentionShape shape,
            Tensor partTHD,
            Tensor partLogSumExpBHS,
            Tensor outputTHD,
            Tensor logSumExpBHS) {
        MergeOperands operands = MergeOperands.of(shape, partTHD, partLogSumExpBHS, outputTHD, logSumExpBHS);
        if (!operands.isFast()) {
            reference.merge(queue, shape, partTHD, partLogSumExpBHS, outputTHD, logSumExpBHS);
            return;
        }
        AttentionMerge merge = new AttentionMerge(operands);
        Blocks.rows(pool, operands.tokens(), shape.heads().outputChannels(), merge::tokens);
    }

    /** Whether these kernels do not leave the forward to the reference. */
    public static boolean serves(AttentionOperands operands) {
        return operands.dtype() != DType.FP64 && operands.shape().heads().dim() <= AttentionTiles.MAX_HEAD_DIM;
    }
}
