package io.hirundo.lib.transformer.block;

import io.hirundo.model.layer.GatedMlpLayer;
import io.hirundo.model.layer.NormLayer;
import io.hirundo.model.layer.Saved;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Tensor;
import java.util.stream.Stream;

/**
 * Residual add, norm, gate-up projection, gated activation and down projection. Releases tensors as early as {@link AttentionHalf} does.
 */
record MlpHalf(NormLayer norm, Biased gateUp, GatedMlpLayer gated, Output down) {
    private static final String SUM = "attention.residual";
    private static final String NORM = "post_attention_norm.output";
    private static final String INVERSE_RMS = "post_attention_norm.inverse_rms";
    private static final String NORM_GRADIENT = "post_attention_norm.output.gradient";
    private static final String GATE_UP = "mlp.gate_up";
    private static final String GATE_UP_GRADIENT = "mlp.gate_up.gradient";
    private static final String PRODUCT = "mlp.product";
    private static final String OUTPUT_GRADIENT = "output.gradient";

    Stream<Parameter> parameters() {
        return Stream.of(Stream.of(norm), gateUp.layers(), Stream.of(gated), down.layers())
                .flatMap(layers -> layers)
                .flatMap(layer -> layer.parameters().stream());
    }

    /**
     * The block's output.
     *
     * @param xTC the block's input
     * @param deltaTC attention output, added to the input; takes ownership
     */
    Tensor forward(StepContext context, Tensor xTC, Tensor deltaTC, Saved saved) {
        NormLayer.Normalized normalized = norm.addForward(context, xTC, deltaTC);
        Tensor hTC = deltaTC;
        SavedActivations.save(saved, INVERSE_RMS, normalized.inverseRmsT());
        Tensor gateUpT2F = gateUp.forward(context, normalized.yTC());
        SavedActivations.saveUnlessRecomputed(context, saved, NORM, normalized.yTC());
        Tensor productTF = gated.forward(context, gateUpT2F);
        SavedActivations.save(saved, GATE_UP, gateUpT2F);
        Tensor yTC = down.forward(context, productTF, saved);
        SavedActivations.saveUnlessRecomputed(context, saved, PRODUCT, productTF);
        context.device().kernels().elementwise().add(context.queue(), hTC, yTC);
        SavedActivations.save(saved, SUM, hTC);
        return yTC;
    }

    /**
     * The gradient of {@code h}.
     *
     * @param dyTC gradient of the block's output; takes ownership
     */
    Tensor backwardInput(StepContext context, Tensor dyTC, Saved saved) {
        saved.put(OUTPUT_GRADIENT, dyTC);
        Tensor dGateUpT2F;
        try (Tensor dProductTF = down.backwardInput(context, dyTC, saved)) {
            dGateUpT2F = gated.backwardInput(context, dProductTF, saved.get(GATE_UP));
        }
        saved.put(GATE_UP_GRADIENT, dGateUpT2F);
        if (!saved.has(PRODUCT)) {
            // Recompute the activation now, not in the second half: it is half the size of its inputs.
            saved.put(PRODUCT, gated.forward(context, saved.get(GATE_UP)));
        }
        saved.drop(GATE_UP);
        Tensor dNormTC = gateUp.backwardInput(context, dGateUpT2F);
        saved.put(NORM_GRADIENT, dNormTC);
        return norm.backwardInput(context, dNormTC, saved.get(SUM), saved.get(INVERSE_RMS), dyTC);
    }

    void backwardWeight(StepContext context, Saved saved) {
        down.backwardWeight(context, saved.get(OUTPUT_GRADIENT), saved.get(PRODUCT), saved);
        saved.drop(OUTPUT_GRADIENT);
        saved.drop(PRODUCT);
        if (!saved.has(NORM)) {
            saved.put(NORM, norm.reapply(context, saved.get(SUM), saved.get(INVERSE_RMS)));
        }
        gateUp.backwardWeight(context, saved.get(GATE_UP_GRADIENT), saved.get(NORM));
        saved.drop(GATE_UP_GRADIENT);
        saved.drop(NORM);
        norm.backwardWeight(context, saved.get(NORM_GRADIENT), saved.get(SUM), saved.get(INVERSE_RMS));
        saved.drop(NORM_GRADIENT);
        saved.drop(SUM);
        saved.drop(INVERSE_RMS);
    }

    /** Both halves, with each weight's two gradient GEMMs next to each other; bitwise the same. */
    Tensor backward(StepContext context, Tensor dyTC, Saved saved) {
        if (!saved.has(PRODUCT)) {
            saved.put(PRODUCT, gated.forward(context, saved.get(GATE_UP)));
        }
        Tensor dGateUpT2F;
        try (Tensor dProductTF = down.backward(context, dyTC, saved.get(PRODUCT), saved)) {
            saved.drop(PRODUCT);
            dGateUpT2F = gated.backwardInput(context, dProductTF, saved.get(GATE_UP));
        }
        saved.drop(GATE_UP);
        if (!saved.has(NORM)) {
            saved.put(NORM, norm.reapply(context, saved.get(SUM), saved.get(INVERSE_RMS)));
        }
        Tensor dNormTC = gateUp.backward(context, dGateUpT2F, saved.get(NORM));
        dGateUpT2F.close();
        saved.drop(NORM);
        norm.backwardWeight(context, dNormTC, saved.get(SUM), saved.get(INVERSE_RMS));
        Tensor dhTC = norm.backwardInput(context, dNormTC, saved.get(SUM), saved.get(INVERSE_RMS), dyTC);
        dNormTC.close();
        dyTC.close();
        saved.drop(SUM);
        saved.drop(INVERSE_RMS);
        return dhTC;
    }
}
