package io.hirundo.modelqwen.internal;

import io.hirundo.family.StoredValues;
import io.hirundo.lib.family.PublishedFormat;
import io.hirundo.lib.family.Rope;
import io.hirundo.lib.family.TransformerReference;
import io.hirundo.lib.family.TransformerReference.RotaryPairs;
import io.hirundo.model.Architecture;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Qwen as the Transformers library stores it. */
final class QwenHuggingFace extends PublishedFormat<QwenOptions> {
    @Override
    public Set<String> modelTypes() {
        return Arrays.stream(QwenType.values()).map(QwenType::modelType).collect(Collectors.toSet());
    }

    @Override
    public QwenOptions read(Map<String, Object> configuration, String source) {
        return QwenConfigJson.read(configuration, source);
    }

    @Override
    public Map<String, Object> write(QwenOptions options) {
        return QwenConfigJson.write(options);
    }

    @Override
    protected Architecture architecture(QwenOptions options) {
        return new QwenFactory().create(options);
    }

    @Override
    protected boolean isTied(QwenOptions options) {
        return options.tieWordEmbeddings();
    }

    @Override
    public double[][] referenceLogits(QwenOptions o, StoredValues tensors, int[] tokens) {
        QwenSizes sizes = QwenSizes.of(o);
        Set<String> biased = new HashSet<>(sizes.hasBiases() ? Set.of("q_proj", "k_proj", "v_proj") : Set.of());
        if (o.attentionBias()) {
            biased.add("o_proj");
        }
        return new TransformerReference(
                        new TransformerReference.Sizes(
                                o.vocabSize(),
                                o.hiddenSize(),
                                o.intermediateSize(),
                                o.numHiddenLayers(),
                                o.rmsNormEps(),
                                o.tieWordEmbeddings()),
                        new TransformerReference.Heads(
                                sizes.heads().query(),
                                sizes.heads().keyValue(),
                                sizes.heads().dim(),
                                sizes.hasHeadNorms(),
                                o.slidingWindow(),
                                o.maxWindowLayers()),
                        new Rope(o.ropeTheta(), null),
                        new TransformerReference.Storage(UnaryOperator.identity(), RotaryPairs.HALVES, biased),
                        tensors)
                .logits(tokens);
    }
}
