package io.hirundo.lib.transformer.block;

import io.hirundo.model.Block;
import io.hirundo.model.layer.Saved;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.stream.Stream;

/**
 * One transformer layer: {@code h = x + attention(norm(x))}, {@code y = h + mlp(norm(h))}.
 *
 * <p>Saved activations per token, in elements (suffixes as in {@code io.hirundo.kernel.Kernels}):
 *
 * <pre>
 *   input norm y     C   not with SELECTIVE          h                C
 *   its 1/rms        1                               its norm's y     C   not with SELECTIVE
 *   q, k, v          E                               its 1/rms        1
 *   attention out    HD                              gate, up         2F
 *   log-sum-exp      H                               gated output     F   not with SELECTIVE
 * </pre>
 *
 * Norms of heads save their inputs and 1/rms, too: HD + GD + H + G; norms after the halves C + 1 each. Biases save nothing.
 *
 * <p>Between the halves of the backward: inputs and output gradients of the four GEMMs and two norms. With {@code FULL} recomputation
 * the engine runs a forward that saves nothing, and a second one that saves everything right before the backward.
 */
record TransformerBlock(AttentionHalf attention, MlpHalf mlp) implements Block {
    @Override
    public List<Parameter> parameters() {
        return Stream.concat(attention.parameters(), mlp.parameters()).toList();
    }

    @Override
    public Tensor forward(StepContext context, Tensor xTC, Saved saved) {
        return mlp.forward(context, xTC, attention.forward(context, xTC, saved), saved);
    }

    @Override
    public Tensor backwardInput(StepContext context, Tensor xTC, Tensor dyTC, Saved saved) {
        return attention.backwardInput(context, xTC, mlp.backwardInput(context, dyTC, saved), saved);
    }

    @Override
    public void backwardWeight(StepContext context, Tensor xTC, Saved saved) {
        mlp.backwardWeight(context, saved);
        attention.backwardWeight(context, xTC, saved);
    }

    @Override
    public Tensor backward(StepContext context, Tensor xTC, Tensor dyTC, Saved saved) {
        return attention.backward(context, xTC, mlp.backward(context, dyTC, saved), saved);
    }
}
