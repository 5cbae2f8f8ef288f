package io.hirundo.modelgemma2.internal;

import io.hirundo.family.FamilyFormat;
import io.hirundo.family.StoredTensor;
import io.hirundo.family.StoredValues;
import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Gemma 2 as the Transformers library stores it. */
final class Gemma2HuggingFace implements FamilyFormat<Gemma2Options> {
  static final String EMBEDDING = "model.embed_tokens.weight";
  static final String HEAD = "lm_head.weight";

  @Override
  public String format() {
    return HUGGING_FACE;
  }

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
  public String embedding() {
    return EMBEDDING;
  }

  @Override
  public List<StoredTensor> tensors(Gemma2Options options) {
    var tensors = new ArrayList<StoredTensor>();
    Gemma2Sizes sizes = Gemma2Sizes.of(options);
    add(tensors, EMBEDDING, options.vocabSize(), options.hiddenSize());
    for (int layer = 0; layer < options.numHiddenLayers(); layer++) {
      addLayer(tensors, "model.layers." + layer, sizes);
    }
    add(tensors, "model.norm.weight", options.hiddenSize());
    if (!options.tieWordEmbeddings()) {
      add(tensors, HEAD, options.vocabSize(), options.hiddenSize());
    }
    return tensors;
  }

  private static void addLayer(List<StoredTensor> tensors, String layer, Gemma2Sizes sizes) {
    long hidden = sizes.options().hiddenSize();
    long inner = sizes.options().intermediateSize();
    long queries = (long) sizes.heads().query() * sizes.heads().dim();
    long keys = (long) sizes.heads().keyValue() * sizes.heads().dim();
    add(tensors, layer + ".input_layernorm.weight", hidden);
    add(tensors, layer + ".self_attn.q_proj.weight", queries, hidden);
    add(tensors, layer + ".self_attn.k_proj.weight", keys, hidden);
    add(tensors, layer + ".self_attn.v_proj.weight", keys, hidden);
    add(tensors, layer + ".self_attn.o_proj.weight", hidden, queries);
    add(tensors, layer + ".post_attention_layernorm.weight", hidden);
    add(tensors, layer + ".pre_feedforward_layernorm.weight", hidden);
    add(tensors, layer + ".mlp.gate_proj.weight", inner, hidden);
    add(tensors, layer + ".mlp.up_proj.weight", inner, hidden);
    add(tensors, layer + ".mlp.down_proj.weight", hidden, inner);
    add(tensors, layer + ".post_feedforward_layernorm.weight", hidden);
  }

  private static void add(List<StoredTensor> tensors, String name, long... dims) {
    tensors.add(StoredTensor.of(name, name, Shape.of(dims)));
  }

  /** A tied head that is stored nevertheless. */
  @Override
  public Map<String, String> copies(Gemma2Options options) {
    return options.tieWordEmbeddings() ? Map.of(HEAD, EMBEDDING) : Map.of();
  }

  @Override
  public double[][] referenceLogits(Gemma2Options options, StoredValues tensors, int[] tokens) {
    return new Gemma2Reference(options, Gemma2Sizes.of(options).heads(), tensors).logits(tokens);
  }
}
