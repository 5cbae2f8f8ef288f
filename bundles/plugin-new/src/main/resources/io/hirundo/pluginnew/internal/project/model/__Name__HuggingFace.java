package __package__;

import io.hirundo.family.FamilyFormat;
import io.hirundo.family.StoredTensor;
import io.hirundo.family.StoredValues;
import io.hirundo.kernel.Heads;
import io.hirundo.lib.family.PublishedTensors;
import io.hirundo.lib.family.Rope;
import io.hirundo.lib.family.TransformerReference;
import io.hirundo.lib.family.TransformerReference.RotaryPairs;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Folders of models: configuration and tensor names both ways, and a reference in double precision. */
final class __Name__HuggingFace implements FamilyFormat<__Name__Options> {
  private static final String EMBEDDING = "model.embed_tokens.weight";
  private static final String HEAD = "lm_head.weight";

  @Override
  public String format() {
    return HUGGING_FACE;
  }

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
  public String embedding() {
    return EMBEDDING;
  }

  /** Parameters are stored under their published names. Renamed or fused tensors are other {@link StoredTensor}s here. */
  @Override
  public List<StoredTensor> tensors(__Name__Options options) {
    return PublishedTensors.of(__Name__Graph.of(options).describe());
  }

  /** A tied head that is stored nevertheless. */
  @Override
  public Map<String, String> copies(__Name__Options options) {
    return options.tieWordEmbeddings() ? Map.of(HEAD, EMBEDDING) : Map.of();
  }

  /** Shares no code with the graph. Write the published definition here if your family is not of the kind of Llama. */
  @Override
  public double[][] referenceLogits(__Name__Options o, StoredValues tensors, int[] tokens) {
    Heads heads = __Name__Graph.of(o).heads();
    return new TransformerReference(
            new TransformerReference.Sizes(
                o.vocabSize(), o.hiddenSize(), o.intermediateSize(), o.numHiddenLayers(), o.rmsNormEps(), o.tieWordEmbeddings()),
            new TransformerReference.Heads(heads.query(), heads.keyValue(), heads.dim(), o.headNorms()),
            new Rope(o.ropeTheta(), null),
            new TransformerReference.Storage(UnaryOperator.identity(), RotaryPairs.HALVES, Set.of()),
            tensors)
        .logits(tokens);
  }
}
