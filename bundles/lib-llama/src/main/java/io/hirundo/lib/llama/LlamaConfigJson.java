package io.hirundo.lib.llama;

import io.hirundo.DataException;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Reads {@code config.json} like the Transformers library's {@code LlamaConfig}, with its defaults. Rejects by name what the
 * architecture {@code llama} does not support.
 */
public final class LlamaConfigJson {
  /** Name of the file. */
  public static final String FILE = "config.json";

  private static final int MOST_LAYERS = 100_000;

  private final Fields fields;

  private LlamaConfigJson(Fields fields) {
    this.fields = fields;
  }

  /**
   * Reads the settings of a file.
   *
   * @param json its content: strings, numbers, booleans, lists and maps
   * @param where the file, for messages
   * @throws DataException names the key that is wrong or not supported
   */
  public static LlamaConfig read(Map<String, Object> json, String where) {
    return new LlamaConfigJson(new Fields(json, where, DataException::new)).read();
  }

  private LlamaConfig read() {
    rejectUnsupported();
    var sizes =
        new LlamaConfig.Sizes(
            fields.whole("vocab_size", 1, 32000),
            fields.whole("hidden_size", 1, 4096),
            fields.whole("intermediate_size", 1, 11008),
            fields.whole("num_hidden_layers", 1, 32),
            fields.whole("max_position_embeddings", 1, 2048));
    if (sizes.layers() > MOST_LAYERS) {
      throw fields.wrong("num_hidden_layers", "at most " + MOST_LAYERS);
    }
    return new LlamaConfig(
        sizes,
        heads(sizes.hidden()),
        RopeFields.read(fields),
        fields.positive("rms_norm_eps", 1e-6),
        fields.truth("tie_word_embeddings", false),
        fields.number("initializer_range", 0.02));
  }

  private LlamaConfig.Heads heads(int hidden) {
    int query = fields.whole("num_attention_heads", 1, 32);
    int keyValue = fields.whole("num_key_value_heads", 1, query);
    if (query % keyValue != 0) {
      throw fields.wrong("num_key_value_heads", "a divisor of num_attention_heads, " + query);
    }
    if (!fields.has("head_dim") && hidden % query != 0) {
      throw fields.wrong("hidden_size", "a multiple of num_attention_heads, " + query + ", where head_dim is not given");
    }
    return new LlamaConfig.Heads(query, keyValue, fields.whole("head_dim", 1, hidden / query));
  }

  private void rejectUnsupported() {
    String type = fields.text("model_type", "");
    if (!type.equals("llama")) {
      throw fields.wrong("model_type", "\"llama\": other models are not supported");
    }
    boolean isOther =
        fields.get("architectures") instanceof Collection<?> names && !names.isEmpty() && !names.contains("LlamaForCausalLM");
    if (isOther) {
      throw fields.wrong("architectures", "[\"LlamaForCausalLM\"]: models with another head are not supported");
    }
    if (!List.of("silu", "swish").contains(fields.text("hidden_act", "silu"))) {
      throw fields.wrong("hidden_act", "\"silu\": other activations are not supported");
    }
    for (String bias : List.of("attention_bias", "mlp_bias")) {
      if (fields.truth(bias, false)) {
        throw fields.wrong(bias, "false: linear layers with a bias are not supported");
      }
    }
    if (fields.number("attention_dropout", 0) != 0) {
      throw fields.wrong("attention_dropout", "0: dropout is not supported; set it to 0 to train without");
    }
    if (fields.has("quantization_config")) {
      throw fields.failure().apply(
          fields.where() + ": 'quantization_config' is set, but quantized weights are not supported; use the unquantized"
              + " model");
    }
  }
}
