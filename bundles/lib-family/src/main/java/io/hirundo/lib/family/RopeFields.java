package io.hirundo.lib.family;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rotary embedding settings of {@code config.json}. Versions 4 of the Transformers library write {@code rope_theta} and {@code
 * rope_scaling} (with {@code rope_type}, earlier {@code type}). Versions 5 write {@code rope_parameters}, and prefer {@code
 * rope_scaling} if both exist; so does this class.
 */
public final class RopeFields {
    private static final String THETA = "rope_theta";
    private static final String SCALING = "rope_scaling";
    private static final String PARAMETERS = "rope_parameters";

    private RopeFields() {}

    /** Reads either form. */
    public static Rope read(Fields config, double defaultTheta) {
        rejectPartial(config);
        String key = isGiven(config, SCALING) ? SCALING : PARAMETERS;
        double theta = config.positive(THETA, defaultTheta);
        if (!isGiven(config, key)) {
            return new Rope(theta, null);
        }
        Fields rope = config.object(key);
        rejectByLayer(rope);
        rejectPartial(rope);
        theta = rope.positive(THETA, theta);
        String typeKey = rope.has("rope_type") ? "rope_type" : "type";
        return switch (rope.text(typeKey, "default")) {
            case "default" -> new Rope(theta, null);
            case "llama3" -> new Rope(theta, llama3(rope));
            default -> throw rope.wrong(typeKey, "\"default\" or \"llama3\": other scalings are not supported");
        };
    }

    /** Adds the keys of versions 4, which versions 5 read, too. */
    public static void write(Map<String, Object> config, Rope rope) {
        config.put(THETA, rope.theta());
        Map<String, Object> scaling = new LinkedHashMap<>();
        if (rope.scaling() != null) {
            scaling.put("rope_type", "llama3");
            scaling.put("factor", rope.scaling().factor());
            scaling.put("low_freq_factor", rope.scaling().lowFreqFactor());
            scaling.put("high_freq_factor", rope.scaling().highFreqFactor());
            scaling.put("original_max_position_embeddings", rope.scaling().originalMaxPositions());
        }
        config.put(SCALING, scaling.isEmpty() ? null : scaling);
    }

    /** Versions 5 write an object for each type of layer where layers differ; no key of the others is one. */
    private static void rejectByLayer(Fields rope) {
        for (Object key : rope.values().keySet()) {
            if (rope.values().get(key) instanceof Map<?, ?>) {
                throw rope.wrong(
                        key.toString(),
                        "a number or a text: rotary embeddings that differ by the type of a layer are not supported");
            }
        }
    }

    private static boolean isGiven(Fields config, String key) {
        return config.has(key) && !(config.get(key) instanceof Map<?, ?> object && object.isEmpty());
    }

    private static void rejectPartial(Fields fields) {
        if (fields.number("partial_rotary_factor", 1) != 1) {
            throw fields.wrong("partial_rotary_factor", "1: partial rotary embeddings are not supported");
        }
    }

    private static Rope.Scaling llama3(Fields rope) {
        List.of("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
                .forEach(rope::require);
        return new Rope.Scaling(
                rope.positive("factor", 0),
                rope.positive("low_freq_factor", 0),
                rope.positive("high_freq_factor", 0),
                rope.whole("original_max_position_embeddings", 1, 0));
    }
}
