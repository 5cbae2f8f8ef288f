package org.example.olmo2;

import io.hirundo.family.StoredValues;
import io.hirundo.lib.family.PublishedFormat;
import io.hirundo.model.Architecture;
import java.util.Map;
import java.util.Set;

/** Folders of models: configuration both ways, and a reference in double precision. Parameters are stored under their published names. */
final class Olmo2HuggingFace extends PublishedFormat<Olmo2Options> {
    @Override
    public Set<String> modelTypes() {
        return Set.of(Olmo2Config.MODEL_TYPE);
    }

    @Override
    public Olmo2Options read(Map<String, Object> configuration, String source) {
        return Olmo2Config.read(configuration, source);
    }

    @Override
    public Map<String, Object> write(Olmo2Options options) {
        return Olmo2Config.write(options);
    }

    @Override
    protected Architecture architecture(Olmo2Options options) {
        return Olmo2Graph.of(options);
    }

    @Override
    protected boolean isTied(Olmo2Options options) {
        return options.tieWordEmbeddings();
    }

    @Override
    public double[][] referenceLogits(Olmo2Options options, StoredValues tensors, int[] tokens) {
        return new Olmo2Reference(options, Olmo2Graph.of(options).heads(), tensors).logits(tokens);
    }
}
