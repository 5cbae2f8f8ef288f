package io.hirundo.lib.transformer.block;

import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.model.layer.AttentionLayer;
import io.hirundo.model.layer.AttentionLayer.Attended;
import io.hirundo.model.layer.Layer;
import io.hirundo.model.layer.NormLayer;
import io.hirundo.model.layer.Saved;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Tensor;
import java.util.stream.Stream;

/**
 * Norm, QKV projection, norms of heads if there are any, attention and output projection. Every tensor is released, or passed to {@code saved}, right after its
 * last use, so that the next GEMM can reuse its memory.
 *
 * @param headNorms or null
 */
record AttentionHalf(NormLayer norm, Biased qkv, HeadNorms headNorms, AttentionLayer attention, Output output) {
    private static final String NORM = "input_norm.output";
    private static final String INVERSE_RMS = "input_norm.inverse_rms";
    private static final String NORM_GRADIENT = "input_norm.output.gradient";
    private static final String QKV_GRADIENT = "qkv.gradient";
    private static final String QUERY = "attention.query";
    private static final String KEY = "attention.key";
    private static final String VALUE = "attention.value";
    private static final String ATTENDED = "attention.output";
    private static final String LOG_SUM_EXP = "attention.log_sum_exp";
    private static final String SUM_GRADIENT = "attention.residual.gradient";

    Stream<Parameter> parameters() {
        Stream<? extends Layer> heads = headNorms == null ? Stream.of() : headNorms.layers().stream();
        return Stream.of(Stream.of(norm), qkv.layers(), heads, Stream.of(attention), output.layers())
                .flatMap(layers -> layers)
                .flatMap(layer -> layer.parameters().stream());
    }

    /** The update to add to {@code xTC}; the caller closes it. */
    Tensor forward(StepContext context, Tensor xTC, Saved saved) {
        NormLayer.Normalized normalized = norm.forward(context, xTC);
        SavedActivations.save(saved, INVERSE_RMS, normalized.inverseRmsT());
        Tensor qkvTE = qkv.forward(context, normalized.yTC());
        SavedActivations.saveUnlessRecomputed(context, saved, NORM, normalized.yTC());
        if (headNorms != null) {
            headNorms.forward(context, qkv.linear(), qkvTE, saved);
        }
        Attended attended = attention.forward(context, qkvTE);
        qkvTE.close();
        SavedActivations.save(saved, QUERY, attended.heads().queryBHSD());
        SavedActivations.save(saved, KEY, attended.heads().keyBGSD());
        SavedActivations.save(saved, VALUE, attended.heads().valueBGSD());
        SavedActivations.save(saved, LOG_SUM_EXP, attended.logSumExpBHS());
        Tensor deltaTC = output.forward(context, attended.outputTHD(), saved);
        SavedActivations.save(saved, ATTENDED, attended.outputTHD());
        return deltaTC;
    }

    /**
     * The gradient of {@code xTC}.
     *
     * @param dhTC gradient of {@code x + forward(x)}; takes ownership
     */
    Tensor backwardInput(StepContext context, Tensor xTC, Tensor dhTC, Saved saved) {
        saved.put(SUM_GRADIENT, dhTC);
        Tensor dqkvTE;
        try (Tensor dAttendedTHD = output.backwardInput(context, dhTC, saved)) {
            dqkvTE = attention.backwardInput(context, dAttendedTHD, attended(saved));
        }
        saved.put(QKV_GRADIENT, dqkvTE);
        saved.drop(QUERY);
        saved.drop(KEY);
        saved.drop(VALUE);
        saved.drop(LOG_SUM_EXP);
        if (headNorms != null) {
            headNorms.backwardInput(context, qkv.linear(), dqkvTE, saved);
        }
        Tensor dNormTC = qkv.backwardInput(context, dqkvTE);
        saved.put(NORM_GRADIENT, dNormTC);
        return norm.backwardInput(context, dNormTC, xTC, saved.get(INVERSE_RMS), dhTC);
    }

    void backwardWeight(StepContext context, Tensor xTC, Saved saved) {
        output.backwardWeight(context, saved.get(SUM_GRADIENT), saved.get(ATTENDED), saved);
        saved.drop(SUM_GRADIENT);
        saved.drop(ATTENDED);
        if (headNorms != null) {
            headNorms.backwardWeight(context, saved);
        }
        if (!saved.has(NORM)) {
            saved.put(NORM, norm.reapply(context, xTC, saved.get(INVERSE_RMS)));
        }
        qkv.backwardWeight(context, saved.get(QKV_GRADIENT), saved.get(NORM));
        saved.drop(QKV_GRADIENT);
        saved.drop(NORM);
        norm.backwardWeight(context, saved.get(NORM_GRADIENT), xTC, saved.get(INVERSE_RMS));
        saved.drop(NORM_GRADIENT);
        saved.drop(INVERSE_RMS);
    }

    /** Both halves, with each weight's two gradient GEMMs next to each other; bitwise the same. */
    Tensor backward(StepContext context, Tensor xTC, Tensor dhTC, Saved saved) {
        Tensor dqkvTE;
        try (Tensor dAttendedTHD = output.backward(context, dhTC, saved.get(ATTENDED), saved)) {
            dqkvTE = attention.backwardInput(context, dAttendedTHD, attended(saved));
        }
        saved.drop(ATTENDED);
        saved.drop(QUERY);
        saved.drop(KEY);
        saved.drop(VALUE);
        saved.drop(LOG_SUM_EXP);
        if (headNorms != null) {
            headNorms.backwardInput(context, qkv.linear(), dqkvTE, saved);
            headNorms.backwardWeight(context, saved);
        }
        if (!saved.has(NORM)) {
            saved.put(NORM, norm.reapply(context, xTC, saved.get(INVERSE_RMS)));
        }
        Tensor dNormTC = qkv.backward(context, dqkvTE, saved.get(NORM));
        dqkvTE.close();
        saved.drop(NORM);
        norm.backwardWeight(context, dNormTC, xTC, saved.get(INVERSE_RMS));
        Tensor dxTC = norm.backwardInput(context, dNormTC, xTC, saved.get(INVERSE_RMS), dhTC);
        dNormTC.close();
        dhTC.close();
        saved.drop(INVERSE_RMS);
        return dxTC;
    }

    private static Attended attended(Saved saved) {
        var heads = new QueryKeyValue(saved.get(QUERY), saved.get(KEY), saved.get(VALUE));
        return new Attended(heads, saved.get(ATTENDED), saved.get(LOG_SUM_EXP));
    }
}
