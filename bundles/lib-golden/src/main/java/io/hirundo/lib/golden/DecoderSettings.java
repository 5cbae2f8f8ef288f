package io.hirundo.lib.golden;

import java.util.List;
import java.util.Map;

/**
 * What {@link PlainDecoder} needs of a {@code config.json}, in either form.
 *
 * @param heads of queries
 * @param sharedHeads heads of keys and values
 * @param headDim channels of a head
 * @param scale of attention scores
 * @param frequencies radians per position of each pair of channels of a head
 * @param windows for each layer the number of latest positions that attention sees, {@link Integer#MAX_VALUE} for all
 * @param scoreCap soft cap of attention scores; 0 for none
 * @param logitCap soft cap of logits; 0 for none
 * @param isGemma whether norms multiply by {@code 1 + w} and follow each half of a layer too, the MLP has GELU, and embeddings are
 *     scaled by the root of their size
 */
record DecoderSettings(
        int layers,
        int heads,
        int sharedHeads,
        int headDim,
        double epsilon,
        double scale,
        double[] frequencies,
        int[] windows,
        double scoreCap,
        double logitCap,
        boolean isGemma) {
    static DecoderSettings of(Map<String, Object> config) {
        String type = (String) config.get("model_type");
        boolean isGemma = switch (type) {
            case "llama", "mistral", "qwen2", "qwen3" -> false;
            case "gemma2" -> true;
            default -> throw new IllegalArgumentException("model_type " + type);
        };
        int layers = whole(config, "num_hidden_layers");
        int heads = whole(config, "num_attention_heads");
        int headDim = config.get("head_dim") == null ? whole(config, "hidden_size") / heads : whole(config, "head_dim");
        int[] windows = new int[layers];
        for (int layer = 0; layer < layers; layer++) {
            windows[layer] = window(config, type, layer);
        }
        return new DecoderSettings(
                layers,
                heads,
                whole(config, "num_key_value_heads"),
                headDim,
                number(config, "rms_norm_eps", 0),
                1 / Math.sqrt(number(config, "query_pre_attn_scalar", headDim)),
                frequencies(config, headDim),
                windows,
                number(config, "attn_logit_softcapping", 0),
                number(config, "final_logit_softcapping", 0),
                isGemma);
    }

    private static int window(Map<String, Object> config, String type, int layer) {
        boolean isSliding = switch (type) {
            // transformers 4 has no list; the first layer has a window, the second none.
            case "gemma2" ->
                config.get("layer_types") instanceof List<?> types
                        ? types.get(layer).equals("sliding_attention")
                        : layer % 2 == 0;
            case "qwen2", "qwen3" ->
                config.get("use_sliding_window") == Boolean.TRUE && layer >= whole(config, "max_window_layers");
            default -> true;
        };
        return isSliding && config.get("sliding_window") != null ? whole(config, "sliding_window") : Integer.MAX_VALUE;
    }

    private static double[] frequencies(Map<String, Object> config, int headDim) {
        Object nested =
                config.get("rope_parameters") != null ? config.get("rope_parameters") : config.get("rope_scaling");
        Map<?, ?> rope = nested == null ? Map.of() : (Map<?, ?>) nested;
        double theta = number(rope, "rope_theta", number(config, "rope_theta", 10_000));
        double[] frequencies = new double[headDim / 2];
        for (int pair = 0; pair < frequencies.length; pair++) {
            double frequency = Math.exp(-Math.log(theta) * 2 * pair / headDim);
            frequencies[pair] = "llama3".equals(rope.get("rope_type"))
                    ? frequency * llama3(2 * Math.PI / frequency, rope)
                    : frequency;
        }
        return frequencies;
    }

    /** By how much Llama 3.1 slows a pair down, by how often it turns in the original context. */
    private static double llama3(double wavelength, Map<?, ?> rope) {
        double turns = number(rope, "original_max_position_embeddings", 0) / wavelength;
        double low = number(rope, "low_freq_factor", 0);
        double high = number(rope, "high_freq_factor", 0);
        double kept = Math.clamp((turns - low) / (high - low), 0, 1);
        return kept + (1 - kept) / number(rope, "factor", 0);
    }

    private static int whole(Map<?, ?> config, String key) {
        return Math.toIntExact(((Number) config.get(key)).longValue());
    }

    private static double number(Map<?, ?> config, String key, double missing) {
        return config.get(key) == null ? missing : ((Number) config.get(key)).doubleValue();
    }
}
