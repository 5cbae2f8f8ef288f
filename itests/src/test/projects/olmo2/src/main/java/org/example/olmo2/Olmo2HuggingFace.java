package org.example.olmo2;

import io.hirundo.family.FamilyFormat;
import io.hirundo.family.StoredTensor;
import io.hirundo.family.StoredValues;
import io.hirundo.lib.family.PublishedTensors;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Folders of models: configuration and tensor names both ways, and a reference in double precision. */
final class Olmo2HuggingFace implements FamilyFormat<Olmo2Options> {
  private static final String EMBEDDING = "model.embed_tokens.weight";
  private static final String HEAD = "lm_head.weight";

  @Override
  public String format() {
    return HUGGING_FACE;
  }

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
  public String embedding() {
    return EMBEDDING;
  }

  /** Parameters are stored under their published names. Renamed or fused tensors are other {@link StoredTensor}s here. */
  @Override
  public List<StoredTensor> tensors(Olmo2Options options) {
    return PublishedTensors.of(Olmo2Graph.of(options).describe());
  }

  /** A tied head that is stored nevertheless. */
  @Override
  public Map<String, String> copies(Olmo2Options options) {
    return options.tieWordEmbeddings() ? Map.of(HEAD, EMBEDDING) : Map.of();
  }

  @Override
  public double[][] referenceLogits(Olmo2Options options, StoredValues tensors, int[] tokens) {
    return new Olmo2Reference(options, Olmo2Graph.of(options).heads(), tensors).logits(tokens);
  }
}
