package io.hirundo.lib.llama;

import io.hirundo.tensor.Shape;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** Names and shapes of a Llama's tensors, as the Transformers library publishes them. */
public final class LlamaTensors {
  /** [V, C]. */
  public static final String EMBEDDING = "model.embed_tokens.weight";
  /** [V, C]. */
  public static final String HEAD = "lm_head.weight";

  private LlamaTensors() {}

  /** All tensors of a model; the output projection only if it is not tied. */
  public static SequencedMap<String, Shape> of(LlamaConfig config) {
    var tensors = new LinkedHashMap<String, Shape>();
    var sizes = config.sizes();
    tensors.put(EMBEDDING, Shape.of(sizes.vocabulary(), sizes.hidden()));
    for (int layer = 0; layer < sizes.layers(); layer++) {
      addLayer(tensors, "model.layers." + layer, config);
    }
    tensors.put("model.norm.weight", Shape.of(sizes.hidden()));
    if (!config.tied()) {
      tensors.put(HEAD, Shape.of(sizes.vocabulary(), sizes.hidden()));
    }
    return Collections.unmodifiableSequencedMap(tensors);
  }

  /** Whether a tensor is optional and ignored: early versions of the Transformers library stored the rotary frequencies. */
  public static boolean isIgnored(String name) {
    return name.endsWith(".rotary_emb.inv_freq");
  }

  private static void addLayer(LinkedHashMap<String, Shape> tensors, String layer, LlamaConfig config) {
    long hidden = config.sizes().hidden();
    long inner = config.sizes().intermediate();
    long queries = config.heads().queryChannels();
    long keys = config.heads().keyChannels();
    tensors.put(layer + ".input_layernorm.weight", Shape.of(hidden));
    tensors.put(layer + ".self_attn.q_proj.weight", Shape.of(queries, hidden));
    tensors.put(layer + ".self_attn.k_proj.weight", Shape.of(keys, hidden));
    tensors.put(layer + ".self_attn.v_proj.weight", Shape.of(keys, hidden));
    tensors.put(layer + ".self_attn.o_proj.weight", Shape.of(hidden, queries));
    tensors.put(layer + ".post_attention_layernorm.weight", Shape.of(hidden));
    tensors.put(layer + ".mlp.gate_proj.weight", Shape.of(inner, hidden));
    tensors.put(layer + ".mlp.up_proj.weight", Shape.of(inner, hidden));
    tensors.put(layer + ".mlp.down_proj.weight", Shape.of(hidden, inner));
  }
}
