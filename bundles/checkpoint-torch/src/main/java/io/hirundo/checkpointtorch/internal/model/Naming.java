package io.hirundo.checkpointtorch.internal.model;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tensor names and row orders of stored Llamas. */
enum Naming {
  /** Names of the Transformers library. */
  HUGGING_FACE {
    @Override
    String stored(String published) {
      return published;
    }
  },

  /** Names of Meta and torchtitan; rotary pairs are adjacent channels. */
  TORCHTITAN {
    @Override
    String stored(String published) {
      Matcher layer = LAYER.matcher(published);
      return layer.matches() ? "layers." + layer.group(1) + "." + OF_LAYER.get(layer.group(2)) : OF_MODEL.get(published);
    }
  };

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
  /** Prefix of the model's tensor names; other entries of the folder are not the model's. */
  private static final Pattern OF_A_MODEL = Pattern.compile("(model|lm_head|layers|tok_embeddings|norm|output)\\..*");

  /** The stored name of a tensor named by {@link io.hirundo.lib.llama.LlamaTensors}. */
  abstract String stored(String published);

  /** Whether a name can belong to a Llama, even if this model does not have it. */
  static boolean isOfModel(String stored) {
    return OF_A_MODEL.matcher(stored).matches();
  }
}
