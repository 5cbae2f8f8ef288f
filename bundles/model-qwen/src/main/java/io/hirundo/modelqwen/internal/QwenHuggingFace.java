package io.hirundo.modelqwen.internal;

import io.hirundo.family.FamilyFormat;
import io.hirundo.family.StoredTensor;
import io.hirundo.family.StoredValues;
import io.hirundo.lib.family.Rope;
import io.hirundo.lib.family.TransformerReference;
import io.hirundo.lib.family.TransformerReference.RotaryPairs;
import io.hirundo.tensor.Shape;
import java.util.ArrayList;
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
    var tensors = new ArrayList<StoredTensor>();
    QwenSizes sizes = QwenSizes.of(options);
    add(tensors, EMBEDDING, options.vocabSize(), options.hiddenSize());
    for (int layer = 0; layer < options.numHiddenLayers(); layer++) {
      addAttention(tensors, "model.layers." + layer, sizes);
      addMlp(tensors, "model.layers." + layer, options);
    }
    add(tensors, "model.norm.weight", options.hiddenSize());
    if (!options.tieWordEmbeddings()) {
      add(tensors, HEAD, options.vocabSize(), options.hiddenSize());
    }
    return tensors;
  }

  private static void addAttention(List<StoredTensor> tensors, String layer, QwenSizes sizes) {
    long hidden = sizes.options().hiddenSize();
    long dim = sizes.heads().dim();
    long queries = sizes.heads().query() * dim;
    long keys = sizes.heads().keyValue() * dim;
    add(tensors, layer + ".input_layernorm.weight", hidden);
    add(tensors, layer + ".self_attn.q_proj.weight", queries, hidden);
    add(tensors, layer + ".self_attn.k_proj.weight", keys, hidden);
    add(tensors, layer + ".self_attn.v_proj.weight", keys, hidden);
    if (sizes.hasBiases()) {
      add(tensors, layer + ".self_attn.q_proj.bias", queries);
      add(tensors, layer + ".self_attn.k_proj.bias", keys);
      add(tensors, layer + ".self_attn.v_proj.bias", keys);
    }
    if (sizes.hasHeadNorms()) {
      add(tensors, layer + ".self_attn.q_norm.weight", dim);
      add(tensors, layer + ".self_attn.k_norm.weight", dim);
    }
    add(tensors, layer + ".self_attn.o_proj.weight", hidden, queries);
  }

  private static void addMlp(List<StoredTensor> tensors, String layer, QwenOptions options) {
    long hidden = options.hiddenSize();
    long inner = options.intermediateSize();
    add(tensors, layer + ".post_attention_layernorm.weight", hidden);
    add(tensors, layer + ".mlp.gate_proj.weight", inner, hidden);
    add(tensors, layer + ".mlp.up_proj.weight", inner, hidden);
    add(tensors, layer + ".mlp.down_proj.weight", hidden, inner);
  }

  private static void add(List<StoredTensor> tensors, String name, long... dims) {
    tensors.add(StoredTensor.of(name, name, Shape.of(dims)));
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
