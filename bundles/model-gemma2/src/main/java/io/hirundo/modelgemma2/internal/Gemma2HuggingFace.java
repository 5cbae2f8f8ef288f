package io.hirundo.modelgemma2.internal;

import io.hirundo.family.StoredValues;
import io.hirundo.lib.family.PublishedFormat;
import io.hirundo.model.Architecture;
import java.util.Map;
import java.util.Set;

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
    public double[][] referenceLogits(Gemma2Options options, StoredValues tensors, int[] tokens) {
        return new Gemma2Reference(options, Gemma2Sizes.of(options).heads(), tensors).logits(tokens);
    }
}
