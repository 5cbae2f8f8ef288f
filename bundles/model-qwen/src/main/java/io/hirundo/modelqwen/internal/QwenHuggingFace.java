package io.hirundo.modelqwen.internal;

import io.hirundo.family.FamilyFormat;
import io.hirundo.family.StoredTensor;
import io.hirundo.family.StoredValues;
import io.hirundo.lib.family.PublishedTensors;
import io.hirundo.lib.family.Rope;
import io.hirundo.lib.family.TransformerReference;
import io.hirundo.lib.family.TransformerReference.RotaryPairs;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Qwen as the Transformers library stores it. */
final class QwenHuggingFace implements FamilyFormat<QwenOptions> {
  private static final String EMBEDDING = "model.embed_tokens.weight";
  private static final String HEAD = "lm_head.weight";

  @Override
  public String format() {
    return HUGGING_FACE;
  }

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
  public String embedding() {
    return EMBEDDING;
  }

  @Override
  public List<StoredTensor> tensors(QwenOptions options) {
    return PublishedTensors.of(new QwenFactory().create(options).describe());
  }

  /** A tied head that is stored nevertheless. */
  @Override
  public Map<String, String> copies(QwenOptions options) {
    return options.tieWordEmbeddings() ? Map.of(HEAD, EMBEDDING) : Map.of();
  }

  @Override
  public double[][] referenceLogits(QwenOptions o, StoredValues tensors, int[] tokens) {
    QwenSizes sizes = QwenSizes.of(o);
    Set<String> biased = sizes.hasBiases() ? Set.of("q_proj", "k_proj", "v_proj") : Set.of();
    return new TransformerReference(
            new TransformerReference.Sizes(
                o.vocabSize(), o.hiddenSize(), o.intermediateSize(), o.numHiddenLayers(), o.rmsNormEps(), o.tieWordEmbeddings()),
            new TransformerReference.Heads(sizes.heads().query(), sizes.heads().keyValue(), sizes.heads().dim(), sizes.hasHeadNorms()),
            new Rope(o.ropeTheta(), null),
            new TransformerReference.Storage(UnaryOperator.identity(), RotaryPairs.HALVES, biased),
            tensors)
        .logits(tokens);
  }
}
