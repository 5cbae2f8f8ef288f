package io.hirundo.lib.transformer;

import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.model.layer.AttentionLayer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** Attention of the local heads: splits the fused QKV output, applies RoPE and calls the attention core. */
record PlainAttention(Heads heads, RotaryTable rotary, AttentionCore core) implements AttentionLayer {
    @Override
    public List<Parameter> parameters() {
        return List.of();
    }

    @Override
    public Attended forward(StepContext context, Tensor qkvTE) {
        var batch = context.batch();
        var kernels = context.device().kernels().attention();
        QueryKeyValue qkv = allocateHeads(context);
        kernels.splitAndRotate(
                context.queue(),
                heads,
                pieces(context),
                qkvTE,
                rotary.cosPD2(),
                rotary.sinPD2(),
                batch.positionsT(),
                qkv);
        Tensor outputTHD = context.allocate(Shape.of(batch.tokens(), heads.outputChannels()));
        Tensor logSumExpBHS =
                context.allocateStatistics(Shape.of(pieces(context), heads.query(), pieceTokens(context)));
        core.forward(context, qkv, outputTHD, logSumExpBHS);
        return new Attended(qkv, outputTHD, logSumExpBHS);
    }

    @Override
    public Tensor backwardInput(StepContext context, Tensor outputGradientTHD, Attended forward) {
        var batch = context.batch();
        var kernels = context.device().kernels().attention();
        QueryKeyValue gradient = allocateHeads(context);
        core.backward(
                context, outputGradientTHD, forward.heads(), forward.outputTHD(), forward.logSumExpBHS(), gradient);
        Tensor dqkvTE = context.allocate(Shape.of(batch.tokens(), heads.fusedChannels()));
        kernels.rotateBackAndJoin(
                context.queue(),
                heads,
                pieces(context),
                gradient,
                rotary.cosPD2(),
                rotary.sinPD2(),
                batch.positionsT(),
                dqkvTE);
        gradient.queryBHSD().close();
        gradient.keyBGSD().close();
        gradient.valueBGSD().close();
        return dqkvTE;
    }

    private QueryKeyValue allocateHeads(StepContext context) {
        long pieces = pieces(context);
        long tokens = pieceTokens(context);
        Shape keys = Shape.of(pieces, heads.keyValue(), tokens, heads.dim());
        return new QueryKeyValue(
                context.allocate(Shape.of(pieces, heads.query(), tokens, heads.dim())),
                context.allocate(keys),
                context.allocate(keys));
    }

    /** The number of sequence chunks on this rank, over all sequences of the batch. */
    private static int pieces(StepContext context) {
        return context.batch().sequences() * context.batch().pieces();
    }

    private static long pieceTokens(StepContext context) {
        return context.batch().sequenceTokens() / context.batch().pieces();
    }
}
