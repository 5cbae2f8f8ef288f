package io.hirundo.modelgemma2.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.model.LayerSpec;
import io.hirundo.tensor.Shape;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class Gemma2FormatTest {
    private static final Gemma2HuggingFace FORMAT = new Gemma2HuggingFace();

    private static Gemma2Options options(double scoreCap, double logitCap, boolean tied) {
        return new Gemma2Options(37, 24, 17, 3, 6, 3, 4, 64, 1e-5, 5e5, 7.5, 9, scoreCap, logitCap, tied, 0.02);
    }

    /** The format lists exactly the parameters that the architecture declares. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void storesEveryParameterOfTheArchitecture(boolean tied) {
        Map<String, Shape> declared = new TreeMap<>();
        new Gemma2Factory()
                .create(options(50, 30, tied))
                .describe()
                .blocks()
                .forEach(block -> block.layers()
                        .forEach(layer ->
                                layer.weights().forEach(weight -> declared.put(weight.path(), weight.globalShape()))));
        Map<String, Shape> stored = new TreeMap<>();
        FORMAT.tensors(options(50, 30, tied)).forEach(tensor -> stored.put(tensor.name(), tensor.shape()));
        assertEquals(declared, stored);
    }

    @ParameterizedTest
    @CsvSource({"50, 30, true", "0, 30, false", "1.5, 0, true"})
    void writingIsTheInverseOfReading(double scoreCap, double logitCap, boolean tied) {
        Gemma2Options options = options(scoreCap, logitCap, tied);
        assertEquals(options, FORMAT.read(FORMAT.write(options), "here"));
    }

    /** As the Transformers library's Gemma2Config. */
    @Test
    void missingKeysHaveTheDefaultsOfGemma2B() {
        assertEquals(new Gemma2Options(), FORMAT.read(Map.of("model_type", "gemma2"), "here"));
    }

    @Test
    void firstLayerHasTheWindow() {
        List<OptionalInt> windows = new Gemma2Factory()
                .create(options(50, 30, true)).describe().blocks().stream()
                        .flatMap(block -> block.layers().stream())
                        .filter(LayerSpec.Attention.class::isInstance)
                        .map(layer -> ((LayerSpec.Attention) layer).options().window())
                        .toList();
        assertEquals(List.of(OptionalInt.of(9), OptionalInt.empty(), OptionalInt.of(9)), windows);
    }

    @ParameterizedTest
    @CsvSource({
        "hidden_activation, silu, gelu_pytorch_tanh",
        "attention_bias, true, biases are not supported",
        "use_bidirectional_attention, true, only causal attention",
        "attention_dropout, 0.5, dropout is not supported",
        "num_key_value_heads, 3, a divisor of num_attention_heads",
        "sliding_window, 0, a whole number",
        "query_pre_attn_scalar, 0, a number above 0",
        "attn_logit_softcapping, -1, a number above 0"
    })
    void rejectsByName(String key, String value, String what) {
        Object parsed = switch (value) {
            case "true" -> true;
            case "silu" -> value;
            default -> Double.valueOf(value);
        };
        assertRejected(Map.of(key, parsed), key, what);
    }

    @Test
    void rejectsAnotherOrderOfWindows() {
        assertRejected(
                Map.of("num_hidden_layers", 2, "layer_types", List.of("full_attention", "sliding_attention")),
                "layer_types",
                "in turns");
        var none = new HashMap<String, Object>();
        none.put("sliding_window", null);
        assertRejected(none, "sliding_window", "every second layer has a window");
    }

    private static void assertRejected(Map<String, Object> configuration, String key, String what) {
        String message = assertThrows(DataException.class, () -> FORMAT.read(configuration, "here"))
                .getMessage();
        assertTrue(message.startsWith("here: '" + key + "'"), message);
        assertTrue(message.contains(what), message);
    }

    @Test
    void rejectsOptionsThatMakeNoModel() {
        for (Gemma2Options wrong : Arrays.asList(
                new Gemma2Options(37, 24, 17, 3, 6, 3, 4, 64, 1e-5, 5e5, 0, 9, 1, 1, true, 0.02),
                new Gemma2Options(37, 24, 17, 3, 6, 3, 4, 64, 1e-5, 5e5, 7, 0, 1, 1, true, 0.02),
                new Gemma2Options(37, 24, 17, 3, 6, 3, 0, 64, 1e-5, 5e5, 7, 9, 1, 1, true, 0.02),
                new Gemma2Options(37, 24, 17, 3, 6, 3, 4, 64, 1e-5, 5e5, 7, 9, -1, 1, true, 0.02))) {
            String message = assertThrows(ConfigurationException.class, () -> new Gemma2Factory().create(wrong))
                    .getMessage();
            assertTrue(message.startsWith("architecture gemma2: "), message);
        }
    }
}
