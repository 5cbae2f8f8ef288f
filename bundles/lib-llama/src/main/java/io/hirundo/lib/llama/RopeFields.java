package io.hirundo.lib.llama;

import java.util.List;
import java.util.Map;

/**
 * Rotary embedding settings of {@code config.json}. Versions 4 of the Transformers library write {@code rope_theta} and {@code
 * rope_scaling} (with {@code rope_type}, earlier {@code type}). Versions 5 write {@code rope_parameters}, and prefer {@code
 * rope_scaling} if both exist; so does this class.
 */
final class RopeFields {
  private static final String SCALING = "rope_scaling";
  private static final String PARAMETERS = "rope_parameters";

  private RopeFields() {}

  static LlamaConfig.Rope read(Fields config) {
    rejectPartial(config);
    String key = isGiven(config, SCALING) ? SCALING : PARAMETERS;
    double theta = config.positive("rope_theta", 10000);
    if (!isGiven(config, key)) {
      return new LlamaConfig.Rope(theta, null);
    }
    Fields rope = config.object(key);
    rejectPartial(rope);
    theta = rope.positive("rope_theta", theta);
    String typeKey = rope.has("rope_type") ? "rope_type" : "type";
    return switch (rope.text(typeKey, "default")) {
      case "default" -> new LlamaConfig.Rope(theta, null);
      case "llama3" -> new LlamaConfig.Rope(theta, llama3(rope));
      default -> throw rope.wrong(typeKey, "\"default\" or \"llama3\": other scalings are not supported");
    };
  }

  private static boolean isGiven(Fields config, String key) {
    return config.has(key) && !(config.get(key) instanceof Map<?, ?> object && object.isEmpty());
  }

  private static void rejectPartial(Fields fields) {
    if (fields.number("partial_rotary_factor", 1) != 1) {
      throw fields.wrong("partial_rotary_factor", "1: partial rotary embeddings are not supported");
    }
  }

  private static LlamaConfig.Scaling llama3(Fields rope) {
    List.of("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings").forEach(rope::require);
    return new LlamaConfig.Scaling(
        rope.positive("factor", 0),
        rope.positive("low_freq_factor", 0),
        rope.positive("high_freq_factor", 0),
        rope.whole("original_max_position_embeddings", 1, 0));
  }
}
