package io.hirundo.modelgemma2.internal;

import io.hirundo.family.StoredValues;
import io.hirundo.lib.family.PublishedFormat;
import io.hirundo.lib.family.Rope;
import io.hirundo.lib.family.TransformerReference;
import io.hirundo.lib.family.TransformerReference.RotaryPairs;
import io.hirundo.model.Architecture;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Gemma 2 as the Transformers library stores it. */
final class Gemma2HuggingFace extends PublishedFormat<Gemma2Options> {
    @Override
    public Set<String> modelTypes() {
        return Set.of(Gemma2ConfigJson.TYPE);
    }

    @Override
    public Gemma2Options read(Map<String, Object> configuration, String source) {
        return Gemma2ConfigJson.read(configuration, source);
    }

    @Override
    public Map<String, Object> write(Gemma2Options options) {
        return Gemma2ConfigJson.write(options);
    }

    @Override
    protected Architecture architecture(Gemma2Options options) {
        return new Gemma2Factory().create(options);
    }

    @Override
    protected boolean isTied(Gemma2Options options) {
        return options.tieWordEmbeddings();
    }

    @Override
    public double[][] referenceLogits(Gemma2Options o, StoredValues tensors, int[] tokens) {
        var heads = Gemma2Sizes.of(o).heads();
        return new TransformerReference(
                        new TransformerReference.Sizes(
                                o.vocabSize(),
                                o.hiddenSize(),
                                o.intermediateSize(),
                                o.numHiddenLayers(),
                                o.rmsNormEps(),
                                o.tieWordEmbeddings()),
                        new TransformerReference.Heads(
                                heads.query(), heads.keyValue(), heads.dim(), false, o.slidingWindow(), 0),
                        new Rope(o.ropeTheta(), null),
                        new TransformerReference.Storage(UnaryOperator.identity(), RotaryPairs.HALVES, Set.of()),
                        Optional.of(new TransformerReference.SandwichNorms(
                                o.queryPreAttnScalar(), o.attnLogitSoftcapping(), o.finalLogitSoftcapping())),
                        tensors)
                .logits(tokens);
    }
}
