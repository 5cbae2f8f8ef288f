package org.example.olmo2;

import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.model.Block;
import io.hirundo.model.layer.AttentionLayer;
import io.hirundo.model.layer.AttentionLayer.Attended;
import io.hirundo.model.layer.GatedMlpLayer;
import io.hirundo.model.layer.LinearLayer;
import io.hirundo.model.layer.NormLayer;
import io.hirundo.model.layer.NormLayer.Normalized;
import io.hirundo.model.layer.Saved;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.stream.Stream;

/** {@code h = x + norm(attention(x))}, {@code y = h + norm(mlp(h))}; queries and keys are normalized over all heads. */
record Olmo2Block(
        LinearLayer qkv,
        NormLayer queryNorm,
        NormLayer keyNorm,
        AttentionLayer attention,
        LinearLayer output,
        NormLayer attentionNorm,
        LinearLayer gateUp,
        GatedMlpLayer gated,
        LinearLayer down,
        NormLayer mlpNorm)
        implements Block {
    @Override
    public List<Parameter> parameters() {
        return Stream.of(qkv, queryNorm, keyNorm, attention, output, attentionNorm, gateUp, gated, down, mlpNorm)
                .flatMap(layer -> layer.parameters().stream())
                .toList();
    }

    @Override
    public Tensor forward(StepContext context, Tensor xTC, Saved saved) {
        Tensor qkvTE = qkv.forward(context, xTC);
        normalize(context, queryNorm, "query", qkvTE, 0, saved);
        normalize(context, keyNorm, "key", qkvTE, 1, saved);
        Attended attended = attention.forward(context, qkvTE);
        qkvTE.close();
        keep(saved, "q", attended.heads().queryBHSD());
        keep(saved, "k", attended.heads().keyBGSD());
        keep(saved, "v", attended.heads().valueBGSD());
        keep(saved, "log_sum_exp", attended.logSumExpBHS());
        Tensor attentionTC = output.forward(context, attended.outputTHD());
        keep(saved, "attended", attended.outputTHD());
        Tensor hTC = normalized(context, attentionNorm, "attention", attentionTC, saved);
        elementwise(context).add(context.queue(), xTC, hTC);
        Tensor gateUpT2F = gateUp.forward(context, hTC);
        Tensor productTF = gated.forward(context, gateUpT2F);
        keep(saved, "gate_up", gateUpT2F);
        Tensor mlpTC = down.forward(context, productTF);
        keep(saved, "product", productTF);
        Tensor yTC = normalized(context, mlpNorm, "mlp", mlpTC, saved);
        elementwise(context).add(context.queue(), hTC, yTC);
        keep(saved, "h", hTC);
        return yTC;
    }

    @Override
    public Tensor backwardInput(StepContext context, Tensor xTC, Tensor dyTC, Saved saved) {
        saved.put("y.gradient", dyTC);
        Tensor dMlpTC = mlpNorm.backwardInput(context, dyTC, saved.get("mlp"), saved.get("mlp.inverse_rms"), null);
        saved.put("mlp.gradient", dMlpTC);
        try (Tensor dProductTF = down.backwardInput(context, dMlpTC)) {
            saved.put("gate_up.gradient", gated.backwardInput(context, dProductTF, saved.get("gate_up")));
        }
        saved.drop("gate_up");
        Tensor dhTC = gateUp.backwardInput(context, saved.get("gate_up.gradient"));
        saved.put("h.gradient", dhTC);
        elementwise(context).add(context.queue(), dyTC, dhTC);
        Tensor dAttentionTC = attentionNorm.backwardInput(
                context, dhTC, saved.get("attention"), saved.get("attention.inverse_rms"), null);
        saved.put("attention.gradient", dAttentionTC);
        try (Tensor dAttendedTHD = output.backwardInput(context, dAttentionTC)) {
            var heads = new QueryKeyValue(saved.get("q"), saved.get("k"), saved.get("v"));
            saved.put(
                    "qkv.gradient",
                    attention.backwardInput(
                            context,
                            dAttendedTHD,
                            new Attended(heads, saved.get("attended"), saved.get("log_sum_exp"))));
        }
        Stream.of("q", "k", "v", "log_sum_exp").forEach(saved::drop);
        Tensor dqkvTE = saved.get("qkv.gradient");
        backwardInput(context, queryNorm, "query", dqkvTE, 0, saved);
        backwardInput(context, keyNorm, "key", dqkvTE, 1, saved);
        Tensor dxTC = qkv.backwardInput(context, dqkvTE);
        elementwise(context).add(context.queue(), dhTC, dxTC);
        return dxTC;
    }

    @Override
    public void backwardWeight(StepContext context, Tensor xTC, Saved saved) {
        backwardWeight(context, mlpNorm, "mlp", "y.gradient", saved);
        down.backwardWeight(context, saved.get("mlp.gradient"), saved.get("product"));
        gateUp.backwardWeight(context, saved.get("gate_up.gradient"), saved.get("h"));
        backwardWeight(context, attentionNorm, "attention", "h.gradient", saved);
        output.backwardWeight(context, saved.get("attention.gradient"), saved.get("attended"));
        backwardWeight(context, queryNorm, "query", "query.normalized.gradient", saved);
        backwardWeight(context, keyNorm, "key", "key.normalized.gradient", saved);
        qkv.backwardWeight(context, saved.get("qkv.gradient"), xTC);
        Stream.of("mlp.gradient", "product", "gate_up.gradient", "h", "attention.gradient", "attended", "qkv.gradient")
                .forEach(saved::drop);
    }

    /** Takes ownership of {@code xTC}. */
    private static Tensor normalized(StepContext context, NormLayer norm, String name, Tensor xTC, Saved saved) {
        Normalized out = norm.forward(context, xTC);
        keep(saved, name, xTC);
        keep(saved, name + ".inverse_rms", out.inverseRmsT());
        return out.yTC();
    }

    private static void backwardWeight(StepContext context, NormLayer norm, String name, String gradient, Saved saved) {
        norm.backwardWeight(context, saved.get(gradient), saved.get(name), saved.get(name + ".inverse_rms"));
        Stream.of(gradient, name, name + ".inverse_rms").forEach(saved::drop);
    }

    /** Normalizes the columns of one part of the fused row in place. */
    private void normalize(StepContext context, NormLayer norm, String name, Tensor qkvTE, int part, Saved saved) {
        try (Tensor yTK = normalized(context, norm, name, columns(context, qkvTE, part), saved)) {
            elementwise(context).copyColumns(context.queue(), yTK, qkvTE, firstColumn(part));
        }
    }

    /** Replaces the gradient of a norm's output in the fused row by that of its input. */
    private void backwardInput(StepContext context, NormLayer norm, String name, Tensor dqkvTE, int part, Saved saved) {
        Tensor dyTK = columns(context, dqkvTE, part);
        saved.put(name + ".normalized.gradient", dyTK);
        try (Tensor dxTK = norm.backwardInput(context, dyTK, saved.get(name), saved.get(name + ".inverse_rms"), null)) {
            elementwise(context).copyColumns(context.queue(), dxTK, dqkvTE, firstColumn(part));
        }
    }

    private Tensor columns(StepContext context, Tensor qkvTE, int part) {
        Tensor toTK = context.allocate(Shape.of(qkvTE.shape().dim(0), width(part)));
        elementwise(context).copyFromColumns(context.queue(), qkvTE, firstColumn(part), toTK);
        return toTK;
    }

    private long firstColumn(int part) {
        return part == 0 ? 0 : width(0);
    }

    private long width(int part) {
        return qkv.parameters().getFirst().spec().parts().get(part).shape().dim(0);
    }

    private static void keep(Saved saved, String name, Tensor tensor) {
        if (saved == null) {
            tensor.close();
        } else {
            saved.put(name, tensor);
        }
    }

    private static ElementwiseKernels elementwise(StepContext context) {
        return context.device().kernels().elementwise();
    }
}
