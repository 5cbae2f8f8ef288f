package io.hirundo.modelllama.internal;

import static io.hirundo.modelllama.internal.ScalarTensor.value;

import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.AttentionLayer;
import io.hirundo.model.layer.EmbeddingLayer;
import io.hirundo.model.layer.GatedMlpLayer;
import io.hirundo.model.layer.Layer;
import io.hirundo.model.layer.LinearLayer;
import io.hirundo.model.layer.LossHeadLayer;
import io.hirundo.model.layer.NormLayer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Scalar layers, differentiable and all different, so that the data flow of blocks can be checked against finite
 * differences. Tensors count as many elements per token as real ones. Calls are recorded.
 */
final class ScalarLayers implements LayerFactory {
    final List<String> calls = new ArrayList<>();
    final ScalarTensor.Ledger ledger = new ScalarTensor.Ledger();
    final Map<String, ScalarParameter> parameters = new LinkedHashMap<>();

    @Override
    @SuppressWarnings("unchecked")
    public <L extends Layer> L create(LayerSpec<L> declared) {
        // A kind of spec makes the layers that it names.
        return (L)
                switch (declared) {
                    case LayerSpec.Embedding spec -> embedding(spec);
                    case LayerSpec.Linear spec -> linear(spec);
                    case LayerSpec.Norm spec -> norm(spec);
                    case LayerSpec.Attention spec -> attention(spec);
                    case LayerSpec.GatedMlp spec -> gatedMlp(spec);
                    case LayerSpec.LossHead spec -> lossHead(spec);
                    default -> throw new AssertionError(declared);
                };
    }

    private EmbeddingLayer embedding(LayerSpec.Embedding spec) {
        var weight = parameter(spec.path());
        return new EmbeddingLayer() {
            @Override
            public Tensor forward(StepContext context) {
                return made("embedding", spec.hidden(), weight.value);
            }

            @Override
            public void backwardWeight(StepContext context, Tensor dyTC) {
                calls.add("embedding.weight");
                weight.gradient += value(dyTC);
            }

            @Override
            public List<Parameter> parameters() {
                return List.of(weight);
            }
        };
    }

    private LinearLayer linear(LayerSpec.Linear spec) {
        var weight = parameter(spec.name());
        String name = shortName(spec.name());
        return new LinearLayer() {
            @Override
            public Tensor forward(StepContext context, Tensor xTK) {
                return made(name, spec.matrix().outputs(), weight.value * value(xTK));
            }

            @Override
            public Tensor backwardInput(StepContext context, Tensor dyTN) {
                return made(name + ".input", spec.matrix().inputs(), weight.value * value(dyTN));
            }

            @Override
            public void backwardWeight(StepContext context, Tensor dyTN, Tensor xTK) {
                calls.add(name + ".weight");
                weight.gradient += value(dyTN) * value(xTK);
            }

            @Override
            public List<Parameter> parameters() {
                return List.of(weight);
            }
        };
    }

    /** {@code y = w r x} with {@code r = 1 / (1 + x²)}. */
    private NormLayer norm(LayerSpec.Norm spec) {
        var weight = parameter(spec.path());
        String name = shortName(spec.path().replace(".weight", ""));
        return new NormLayer() {
            @Override
            public Normalized forward(StepContext context, Tensor xTC) {
                double x = value(xTC);
                double r = 1 / (1 + x * x);
                return new Normalized(
                        made(name, spec.channels().extent(), weight.value * r * x), ledger.allocate(name + ".r", 1, r));
            }

            @Override
            public Normalized addForward(StepContext context, Tensor xTC, Tensor deltaTC) {
                ((ScalarTensor) deltaTC).add(value(xTC));
                return forward(context, deltaTC);
            }

            @Override
            public Tensor reapply(StepContext context, Tensor xTC, Tensor inverseRmsT) {
                return made(
                        name + ".reapply", spec.channels().extent(), weight.value * value(inverseRmsT) * value(xTC));
            }

            @Override
            public Tensor backwardInput(
                    StepContext context, Tensor dyTC, Tensor xTC, Tensor inverseRmsT, Tensor residualGradientTC) {
                double x = value(xTC);
                double r = value(inverseRmsT);
                double slope = weight.value * (r - 2 * x * x * r * r);
                double residual = residualGradientTC == null ? 0 : value(residualGradientTC);
                return made(name + ".input", spec.channels().extent(), residual + slope * value(dyTC));
            }

            @Override
            public void backwardWeight(StepContext context, Tensor dyTC, Tensor xTC, Tensor inverseRmsT) {
                calls.add(name + ".weight");
                weight.gradient += value(dyTC) * value(xTC) * value(inverseRmsT);
            }

            @Override
            public List<Parameter> parameters() {
                return List.of(weight);
            }
        };
    }

    /** {@code output = q k v} with {@code q = x, k = x², v = x³}. */
    private AttentionLayer attention(LayerSpec.Attention spec) {
        long query = spec.heads().outputChannels();
        long key = (long) spec.heads().keyValue() * spec.heads().dim();
        return new AttentionLayer() {
            @Override
            public Attended forward(StepContext context, Tensor qkvTE) {
                double x = value(qkvTE);
                var heads = new QueryKeyValue(
                        ledger.allocate("q", query, x),
                        ledger.allocate("k", key, x * x),
                        ledger.allocate("v", key, x * x * x));
                Tensor output = made("attention", query, Math.pow(x, 6));
                return new Attended(
                        heads, output, ledger.allocate("lse", spec.heads().query(), x));
            }

            @Override
            public Tensor backwardInput(StepContext context, Tensor outputGradientTHD, Attended forward) {
                double q = value(forward.heads().queryBHSD());
                double k = value(forward.heads().keyBGSD());
                double v = value(forward.heads().valueBGSD());
                double kept = value(forward.outputTHD()) / (k * v) * value(forward.logSumExpBHS()) / (q * q);
                return made("attention.input", query + 2 * key, kept * 6 * q * k * k * value(outputGradientTHD));
            }

            @Override
            public List<Parameter> parameters() {
                return List.of();
            }
        };
    }

    /** {@code y = x²}. */
    private GatedMlpLayer gatedMlp(LayerSpec.GatedMlp spec) {
        return new GatedMlpLayer() {
            @Override
            public Tensor forward(StepContext context, Tensor gateUpT2F) {
                return made("mlp", spec.inner(), value(gateUpT2F) * value(gateUpT2F));
            }

            @Override
            public Tensor backwardInput(StepContext context, Tensor dyTF, Tensor gateUpT2F) {
                return made("mlp.input", 2 * spec.inner(), 2 * value(gateUpT2F) * value(dyTF));
            }

            @Override
            public List<Parameter> parameters() {
                return List.of();
            }
        };
    }

    /** {@code loss = w² h}. */
    private LossHeadLayer lossHead(LayerSpec.LossHead spec) {
        var weight = parameter(spec.path());
        return new LossHeadLayer() {
            @Override
            public void forward(StepContext context, Tensor hTC) {
                calls.add("head");
                ((ScalarTensor) context.lossSum()).add(weight.value * weight.value * value(hTC));
            }

            @Override
            public Tensor forwardBackward(StepContext context, Tensor hTC) {
                forward(context, hTC);
                weight.gradient += 2 * weight.value * value(hTC);
                return made("head.input", spec.hidden(), weight.value * weight.value);
            }

            @Override
            public Tensor logits(StepContext context, Tensor hTC) {
                return made("logits", spec.vocabulary(), weight.value * value(hTC));
            }

            @Override
            public List<Parameter> parameters() {
                return List.of(weight);
            }
        };
    }

    private Tensor made(String call, long elements, double value) {
        calls.add(call);
        return ledger.allocate(call, elements, value);
    }

    private ScalarParameter parameter(String name) {
        // Spread around 1, so that no gradient vanishes or explodes.
        return parameters.computeIfAbsent(name, n -> new ScalarParameter(n, 0.8 + 0.05 * parameters.size()));
    }

    private static String shortName(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
