package io.hirundo.modelllama.internal;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tensor names of Meta and torchtitan. */
final class TorchtitanNames {
  private static final Pattern LAYER = Pattern.compile("model\\.layers\\.(\\d+)\\.(.*)");
  private static final Map<String, String> OF_MODEL =
      Map.of(
          "model.embed_tokens.weight", "tok_embeddings.weight",
          "model.norm.weight", "norm.weight",
          "lm_head.weight", "output.weight");
  private static final Map<String, String> OF_LAYER =
      Map.of(
          "input_layernorm.weight", "attention_norm.weight",
          "self_attn.q_proj.weight", "attention.wq.weight",
          "self_attn.k_proj.weight", "attention.wk.weight",
          "self_attn.v_proj.weight", "attention.wv.weight",
          "self_attn.o_proj.weight", "attention.wo.weight",
          "post_attention_layernorm.weight", "ffn_norm.weight",
          "mlp.gate_proj.weight", "feed_forward.w1.weight",
          "mlp.down_proj.weight", "feed_forward.w2.weight",
          "mlp.up_proj.weight", "feed_forward.w3.weight");

  private TorchtitanNames() {}

  /** The stored name of a tensor that is published under Hugging Face's name. */
  static String stored(String published) {
    Matcher layer = LAYER.matcher(published);
    return layer.matches() ? "layers." + layer.group(1) + "." + OF_LAYER.get(layer.group(2)) : OF_MODEL.get(published);
  }
}
