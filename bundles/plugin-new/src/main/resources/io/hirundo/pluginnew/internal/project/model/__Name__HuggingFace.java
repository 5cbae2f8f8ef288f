package __package__;

import io.hirundo.family.StoredValues;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.lib.family.PublishedFormat;
import io.hirundo.lib.family.Rope;
import io.hirundo.lib.family.TransformerReference;
import io.hirundo.lib.family.TransformerReference.RotaryPairs;
import io.hirundo.model.Architecture;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Folders of models: configuration both ways, and a reference in double precision. Tensors are the parameters under their published names;
 * for renamed or fused tensors implement {@link io.hirundo.family.FamilyFormat} itself.
 */
final class __Name__HuggingFace extends PublishedFormat<__Name__Options> {
    @Override
    public Set<String> modelTypes() {
        return Set.of(__Name__Config.MODEL_TYPE);
    }

    @Override
    public __Name__Options read(Map<String, Object> configuration, String source) {
        return __Name__Config.read(configuration, source);
    }

    @Override
    public Map<String, Object> write(__Name__Options options) {
        return __Name__Config.write(options);
    }

    @Override
    protected Architecture architecture(__Name__Options options) {
        return __Name__Graph.of(options);
    }

    @Override
    protected boolean isTied(__Name__Options options) {
        return options.tieWordEmbeddings();
    }

    /** Shares no code with the graph. Write the published definition here if your family is not of the kind of Llama. */
    @Override
    public double[][] referenceLogits(__Name__Options o, StoredValues tensors, int[] tokens) {
        Heads heads = __Name__Graph.of(o).heads();
        return new TransformerReference(
                        new TransformerReference.Sizes(
                                o.vocabSize(),
                                o.hiddenSize(),
                                o.intermediateSize(),
                                o.numHiddenLayers(),
                                o.rmsNormEps(),
                                o.tieWordEmbeddings()),
                        new TransformerReference.Heads(heads.query(), heads.keyValue(), heads.dim(), o.headNorms()),
                        new Rope(o.ropeTheta(), null),
                        new TransformerReference.Storage(UnaryOperator.identity(), RotaryPairs.HALVES, Set.of()),
                        tensors)
                .logits(tokens);
    }
}
