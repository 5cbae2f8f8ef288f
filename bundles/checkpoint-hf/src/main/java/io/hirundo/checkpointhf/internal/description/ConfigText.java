package io.hirundo.checkpointhf.internal.description;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hirundo.checkpointhf.internal.file.Json;
import io.hirundo.lib.llama.LlamaConfig;
import io.hirundo.tensor.DType;
import java.nio.charset.StandardCharsets;

/**
 * Writes {@code config.json} in the spelling that versions 4 and 5 of the Transformers library read. Token ids of a
 * beginning and an end are null, because the library would take 1 and 2 where they are left out; {@link DescriptionFiles} sets
 * them where they are known.
 */
public final class ConfigText {
  private ConfigText() {}

  /** {@code dtype}: of the weights. */
  public static byte[] of(LlamaConfig config, DType dtype) {
    ObjectNode json = Json.mapper().createObjectNode();
    json.putArray("architectures").add("LlamaForCausalLM");
    json.put("model_type", "llama");
    json.put("vocab_size", config.sizes().vocabulary());
    json.put("hidden_size", config.sizes().hidden());
    json.put("intermediate_size", config.sizes().intermediate());
    json.put("num_hidden_layers", config.sizes().layers());
    json.put("num_attention_heads", config.heads().query());
    json.put("num_key_value_heads", config.heads().keyValue());
    json.put("head_dim", config.heads().dim());
    json.put("hidden_act", "silu");
    json.put("max_position_embeddings", config.sizes().maxPositions());
    json.put("rms_norm_eps", config.rmsNormEps());
    json.put("rope_theta", config.rope().theta());
    putScaling(json, config.rope().scaling());
    json.put("tie_word_embeddings", config.tied());
    json.put("initializer_range", config.initializerRange());
    json.put("attention_bias", false);
    json.put("attention_dropout", 0.0);
    json.put("mlp_bias", false);
    json.put("pretraining_tp", 1);
    json.put("use_cache", true);
    json.putNull("bos_token_id");
    json.putNull("eos_token_id");
    json.put("torch_dtype", torchName(dtype));
    try {
      String text = Json.mapper().writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n";
      return text.getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of JSON values that cannot be written", e);
    }
  }

  private static void putScaling(ObjectNode json, LlamaConfig.Scaling scaling) {
    if (scaling == null) {
      json.putNull("rope_scaling");
      return;
    }
    json.putObject("rope_scaling")
        .put("rope_type", "llama3")
        .put("factor", scaling.factor())
        .put("low_freq_factor", scaling.lowFreqFactor())
        .put("high_freq_factor", scaling.highFreqFactor())
        .put("original_max_position_embeddings", scaling.originalMaxPositions());
  }

  private static String torchName(DType dtype) {
    return switch (dtype) {
      case FP64 -> "float64";
      case FP32 -> "float32";
      case BF16 -> "bfloat16";
      case INT32, FP8_E4M3, FP8_E5M2 -> throw new IllegalArgumentException("weights of type " + dtype);
    };
  }
}
