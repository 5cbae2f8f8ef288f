package io.hirundo.modelqwen.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a {@code config.json} of a Qwen may not say is rejected by name, so that no run computes something else. */
class QwenConfigJsonTest {
    private static final Map<String, Object> CONFIGURATION = Map.of("model_type", "qwen2", "num_hidden_layers", 2L);

    private record Rejected(String key, Object value, String message) {}

    static Stream<Rejected> rejected() {
        return Stream.of(
                new Rejected(
                        "architectures",
                        List.of("Qwen2ForSequenceClassification"),
                        "models with another head are not supported"),
                new Rejected("hidden_act", "gelu", "(allowed: \"silu\": other activations are not supported"),
                new Rejected(
                        "attention_bias",
                        true,
                        "(allowed: false: the biases of a qwen2 are those of queries, keys and values"),
                new Rejected(
                        "layer_types",
                        List.of("full_attention", "sliding_attention"),
                        "for each layer where use_sliding_window is false"),
                new Rejected("attention_dropout", 0.1, "set it to 0 to train without"),
                new Rejected("quantization_config", Map.of("quant_method", "gptq"), "use the unquantized model"),
                new Rejected("num_key_value_heads", 3L, "a divisor of num_attention_heads, 32"),
                new Rejected(
                        "hidden_size", 4095L, "a multiple of num_attention_heads, 32, where head_dim is not given"),
                new Rejected("num_hidden_layers", 5_000L, "at most 4096"));
    }

    @ParameterizedTest
    @MethodSource("rejected")
    void rejectsWhatItDoesNotSupport(Rejected wrong) {
        assertEquals(2, QwenConfigJson.read(CONFIGURATION, "here").numHiddenLayers());
        var configuration = new HashMap<>(CONFIGURATION);
        configuration.put(wrong.key(), wrong.value());
        String message = assertThrows(DataException.class, () -> QwenConfigJson.read(configuration, "here"))
                .getMessage();
        assertTrue(message.startsWith("here: '" + wrong.key() + "'") && message.contains(wrong.message()), message);
    }

    /** In both forms; as {@code Qwen2Config} of the Transformers library, a window is used from {@code max_window_layers} on. */
    @Test
    void readsWindows() {
        assertWindow(4096, 1, Map.of("max_window_layers", 1L));
        assertWindow(7, 1, Map.of("sliding_window", 7L, "layer_types", List.of("full_attention", "sliding_attention")));
        assertWindow(7, 0, Map.of("sliding_window", 7L, "max_window_layers", 0L));
        assertWindow(0, 0, Map.of("sliding_window", 7L, "max_window_layers", 2L));
        assertWindow(0, 0, Map.of("sliding_window", 7L));
        var types = new HashMap<>(CONFIGURATION);
        types.put("use_sliding_window", true);
        types.put("layer_types", List.of("sliding_attention", "full_attention"));
        String message = assertThrows(DataException.class, () -> QwenConfigJson.read(types, "here"))
                .getMessage();
        assertTrue(
                message.contains("\"full_attention\" for the first layers, then \"sliding_attention\", 2 in all"),
                message);
        types.put("sliding_window", null);
        String unused = assertThrows(DataException.class, () -> QwenConfigJson.read(types, "here"))
                .getMessage();
        assertTrue(unused.contains("is false or sliding_window is null"), unused);
    }

    private static void assertWindow(int window, int first, Map<String, Object> keys) {
        var configuration = new HashMap<>(CONFIGURATION);
        configuration.put("use_sliding_window", true);
        configuration.putAll(keys);
        QwenOptions options = QwenConfigJson.read(configuration, "here");
        assertEquals(List.of(window, first), List.of(options.slidingWindow(), options.maxWindowLayers()));
    }

    /** As published for contexts of 128 Ki tokens (Qwen 2.5) and in the form of transformers 5. */
    @Test
    void rejectsYarnInBothForms() {
        Map<String, Object> yarn =
                Map.of("rope_type", "yarn", "factor", 4.0, "original_max_position_embeddings", 32768L);
        Map<String, Object> published =
                Map.of("type", "yarn", "factor", 4.0, "original_max_position_embeddings", 32768L);
        for (var rope : List.of(Map.of("rope_parameters", yarn), Map.of("rope_scaling", published))) {
            var configuration = new HashMap<>(CONFIGURATION);
            configuration.putAll(rope);
            String message = assertThrows(DataException.class, () -> QwenConfigJson.read(configuration, "here"))
                    .getMessage();
            assertTrue(message.contains("yarn") && message.contains("other scalings are not supported"), message);
        }
    }

    /** Qwen 3 0.6B stores the head that it ties to the embedding. */
    @Test
    void acceptsAStoredCopyOfATiedHead() {
        var qwen = new QwenHuggingFace();
        assertEquals(Map.of("lm_head.weight", "model.embed_tokens.weight"), qwen.copies(new QwenOptions()));
        assertTrue(qwen.tensors(new QwenOptions()).stream()
                .noneMatch(tensor -> tensor.name().equals("lm_head.weight")));
    }
}
