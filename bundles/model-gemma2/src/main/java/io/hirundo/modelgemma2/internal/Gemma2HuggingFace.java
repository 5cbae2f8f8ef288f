package io.hirundo.modelgemma2.internal;

import io.hirundo.family.FamilyFormat;
import io.hirundo.family.StoredTensor;
import io.hirundo.family.StoredValues;
import io.hirundo.lib.family.PublishedTensors;
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
    return PublishedTensors.of(new Gemma2Factory().create(options).describe());
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
