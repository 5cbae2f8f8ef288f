package io.hirundo.lib.transformer.block;

import io.hirundo.model.Block;
import io.hirundo.model.layer.LossHeadLayer;
import io.hirundo.model.layer.NormLayer;
import io.hirundo.model.layer.Saved;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.stream.Stream;

/**
 * The last block: final norm, output projection, loss. A training forward also runs the head's backward, chunk by chunk, and
 * saves the gradient of the norm's output. Such a forward must run only once, so this block is never recomputed.
 */
record HeadBlock(NormLayer norm, LossHeadLayer head) implements Block {
    private static final String INVERSE_RMS = "norm.inverse_rms";
    private static final String NORM_GRADIENT = "norm.gradient";

    @Override
    public List<Parameter> parameters() {
        return Stream.of(norm, head)
                .flatMap(layer -> layer.parameters().stream())
                .toList();
    }

    @Override
    public Tensor forward(StepContext context, Tensor xTC, Saved saved) {
        NormLayer.Normalized normalized = norm.forward(context, xTC);
        try (Tensor yTC = normalized.yTC()) {
            if (saved == null) {
                normalized.inverseRmsT().close();
                head.forward(context, yTC);
            } else {
                saved.put(INVERSE_RMS, normalized.inverseRmsT());
                saved.put(NORM_GRADIENT, head.forwardBackward(context, yTC));
            }
        }
        return null;
    }

    @Override
    public Tensor backwardInput(StepContext context, Tensor xTC, Tensor dyTC, Saved saved) {
        return norm.backwardInput(context, saved.get(NORM_GRADIENT), xTC, saved.get(INVERSE_RMS), null);
    }

    @Override
    public void backwardWeight(StepContext context, Tensor xTC, Saved saved) {
        norm.backwardWeight(context, saved.get(NORM_GRADIENT), xTC, saved.get(INVERSE_RMS));
        saved.drop(NORM_GRADIENT);
        saved.drop(INVERSE_RMS);
    }

    @Override
    public Tensor logits(StepContext context, Tensor xTC) {
        NormLayer.Normalized normalized = norm.forward(context, xTC);
        normalized.inverseRmsT().close();
        try (Tensor yTC = normalized.yTC()) {
            return head.logits(context, yTC);
        }
    }
}
