package io.hirundo.modelqwen.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.lib.golden.GoldenTensor;
import io.hirundo.lib.golden.PlainDecoder;
import io.hirundo.lib.golden.PublishedModel;
import io.hirundo.model.LayerSpec;
import io.hirundo.tensor.Shape;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class QwenFormatTest {
    private static final Path RESOURCES = Path.of("src/test/resources");
    private static final QwenHuggingFace FORMAT = new QwenHuggingFace();

    private static QwenOptions small(QwenType type, boolean tied) {
        return new QwenOptions(type, 61, 24, 38, 2, 4, 2, 10, 64, 1e-6, 1e6, tied, 0.03, false, 0, 0);
    }

    /** The format lists exactly the parameters that the architecture declares. */
    @ParameterizedTest
    @EnumSource
    void storesEveryParameterOfTheArchitecture(QwenType type) {
        for (boolean tied : new boolean[] {false, true}) {
            Map<String, Shape> declared = new TreeMap<>();
            new QwenFactory()
                    .create(small(type, tied))
                    .describe()
                    .blocks()
                    .forEach(block -> block.layers()
                            .forEach(layer -> layer.weights()
                                    .forEach(weight -> declared.put(weight.path(), weight.globalShape()))));
            Map<String, Shape> stored = new TreeMap<>();
            FORMAT.tensors(small(type, tied))
                    .forEach(tensor -> tensor.parts().forEach(part -> stored.put(part.path(), part.shape())));
            assertEquals(declared, stored);
            assertEquals(type == QwenType.QWEN2, stored.containsKey("model.layers.1.self_attn.k_proj.bias"));
            assertEquals(type == QwenType.QWEN3, stored.containsKey("model.layers.1.self_attn.k_norm.weight"));
            assertEquals(
                    tied ? Map.of("lm_head.weight", "model.embed_tokens.weight") : Map.of(),
                    FORMAT.copies(small(type, tied)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void readsTheConfigurationThatItWrites(QwenType type) {
        for (boolean tied : new boolean[] {false, true}) {
            var configuration = FORMAT.write(small(type, tied));
            assertTrue(FORMAT.recognizes(configuration));
            assertEquals(small(type, tied), FORMAT.read(configuration, "here"));
        }
    }

    /** No golden has them: compared with a decoder that shares no code. */
    @Test
    void biasesOfQwen3AreOfAllProjectionsOfTheAttention() {
        var biased = new QwenOptions(QwenType.QWEN3, 61, 24, 38, 2, 4, 2, 10, 64, 1e-6, 1e6, false, 0.03, true, 0, 0);
        var configuration = FORMAT.write(biased);
        assertEquals(biased, FORMAT.read(configuration, "here"));
        Map<String, GoldenTensor> weights = GoldenTensor.random(FORMAT.tensors(biased), 3);
        for (String projection : List.of("q_proj", "k_proj", "v_proj", "o_proj")) {
            assertTrue(weights.containsKey("model.layers.1.self_attn." + projection + ".bias"), projection);
        }
        int[] tokens = {60, 3, 3, 17};
        double[][] expected = new PlainDecoder(configuration, weights).logits(tokens);
        double[][] logits = FORMAT.referenceLogits(biased, GoldenTensor.stored(weights), tokens);
        for (int position = 0; position < tokens.length; position++) {
            assertArrayEquals(expected[position], logits[position], 1e-12);
        }
    }

    /** Of the second layer alone; compared with a decoder that shares no code. */
    @Test
    void referenceOfWindowIsThatOfAnIndependentDecoder() {
        var windowed = windowed(3, 1);
        var configuration = FORMAT.write(windowed);
        assertEquals(windowed, FORMAT.read(configuration, "here"));
        assertEquals(List.of(OptionalInt.empty(), OptionalInt.of(3)), windows(windowed));
        Map<String, GoldenTensor> weights = GoldenTensor.random(FORMAT.tensors(windowed), 5);
        int[] tokens = {60, 3, 3, 17, 8, 0};
        double[][] all = FORMAT.referenceLogits(small(QwenType.QWEN2, false), GoldenTensor.stored(weights), tokens);
        double[][] seen = FORMAT.referenceLogits(windowed, GoldenTensor.stored(weights), tokens);
        assertArrayEquals(all[2], seen[2]);
        assertNotEquals(all[3][0], seen[3][0], 1e-6);
        double[][] expected = new PlainDecoder(configuration, weights).logits(tokens);
        for (int position = 0; position < tokens.length; position++) {
            assertArrayEquals(expected[position], seen[position], 1e-12);
        }
    }

    private static List<OptionalInt> windows(QwenOptions options) {
        return new QwenFactory()
                .create(options).describe().blocks().stream()
                        .flatMap(block -> block.layers().stream())
                        .filter(LayerSpec.Attention.class::isInstance)
                        .map(layer -> ((LayerSpec.Attention) layer).options().window())
                        .toList();
    }

    @Test
    void readsThePublishedSizesOfTheDefaults() {
        PublishedModel smallest = PublishedModel.all(RESOURCES).stream()
                .filter(each -> each.name().equals("Qwen 3 0.6B"))
                .findFirst()
                .orElseThrow();
        assertEquals(new QwenOptions(), FORMAT.read(smallest.configuration(), "here"));
    }

    /** No published Qwen has it, and the options have no place for it. */
    @Test
    void rejectsLlamasRotaryScaling() {
        var configuration = new HashMap<>(FORMAT.write(small(QwenType.QWEN3, false)));
        configuration.put(
                "rope_scaling",
                Map.of(
                        "rope_type",
                        "llama3",
                        "factor",
                        8.0,
                        "low_freq_factor",
                        1.0,
                        "high_freq_factor",
                        4.0,
                        "original_max_position_embeddings",
                        8192L));
        var rejection = assertThrows(DataException.class, () -> FORMAT.read(configuration, "here"));
        assertTrue(
                rejection.getMessage().startsWith("here: the rotary embedding is scaled by llama3, but"),
                rejection.getMessage());
    }

    @Test
    void recognizesNoMixtures() {
        assertFalse(FORMAT.recognizes(Map.of("model_type", "qwen3_moe")));
        assertFalse(FORMAT.recognizes(Map.of("model_type", "llama")));
        assertFalse(FORMAT.recognizes(Map.of()));
    }

    @Test
    void rejectsImpossibleOptions() {
        rejects(
                new QwenOptions(null, 61, 24, 38, 2, 4, 2, 10, 64, 1e-6, 1e6, true, 0.03, false, 0, 0),
                "modelType: null is wrong (allowed: qwen2 or qwen3)");
        rejects(
                new QwenOptions(QwenType.QWEN3, 61, 24, 38, 2, 4, 3, 10, 64, 1e-6, 1e6, true, 0.03, false, 0, 0),
                "numKeyValueHeads: 3 is wrong (allowed: a divisor of numAttentionHeads, 4, or 0 for as many)");
        rejects(
                new QwenOptions(QwenType.QWEN3, 61, 24, 38, 2, 4, 2, 10, 64, 1e-6, 0, true, 0.03, false, 0, 0),
                "ropeTheta: 0.0 is wrong (allowed: above 0)");
        rejects(windowed(3, 2), "maxWindowLayers: 2 is wrong (allowed: 0 to numHiddenLayers - 1, 1)");
        rejects(windowed(0, 1), "maxWindowLayers: 1 is wrong (allowed: 0 without slidingWindow)");
    }

    private static QwenOptions windowed(int window, int first) {
        return new QwenOptions(
                QwenType.QWEN2, 61, 24, 38, 2, 4, 2, 10, 64, 1e-6, 1e6, false, 0.03, false, window, first);
    }

    private static void rejects(QwenOptions options, String message) {
        var rejection = assertThrows(ConfigurationException.class, () -> new QwenFactory().create(options));
        assertEquals("architecture qwen: " + message, rejection.getMessage());
    }
}
