package io.hirundo.modelllama.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.family.StoredTensor;
import io.hirundo.lib.golden.GoldenTensor;
import io.hirundo.lib.golden.PlainDecoder;
import io.hirundo.tensor.Shape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LlamaFormatTest {
    private static final Map<String, Object> SETTINGS =
            Map.of("numAttentionHeads", 6, "maxPositionEmbeddings", 64, "rmsNormEps", 1e-5, "ropeTheta", 5e5);

    private static LlamaOptions biased(boolean attention, boolean mlp) {
        return new LlamaOptions(37, 24, 17, 2, 6, 3, 4, 64, 1e-5, 5e5, null, false, 0.02, attention, mlp, 0);
    }

    private static LlamaOptions options(boolean tied) {
        return new LlamaOptions(37, 24, 17, 2, 6, 3, 4, 64, 1e-5, 5e5, null, tied, 0.02, false, false, 0);
    }

    private static LlamaOptions windowed(int window) {
        return new LlamaOptions(37, 24, 17, 2, 6, 3, 4, 64, 1e-5, 5e5, null, false, 0.02, false, false, window);
    }

    static Stream<LlamaOptions> all() {
        return Stream.of(
                options(false),
                options(true),
                biased(true, false),
                biased(false, true),
                biased(true, true),
                windowed(3));
    }

    /** The formats list exactly the parameters that the architecture declares. */
    @ParameterizedTest
    @MethodSource("all")
    void storesEveryParameterOfTheArchitecture(LlamaOptions options) {
        Map<String, Shape> declared = new TreeMap<>();
        new LlamaFactory()
                .create(options)
                .describe()
                .blocks()
                .forEach(block -> block.layers()
                        .forEach(layer ->
                                layer.weights().forEach(weight -> declared.put(weight.path(), weight.globalShape()))));
        for (LlamaFormat format : List.of(LlamaFormat.HUGGING_FACE, LlamaFormat.TORCHTITAN)) {
            Map<String, Shape> stored = new TreeMap<>();
            format.tensors(options)
                    .forEach(tensor -> tensor.parts().forEach(part -> stored.put(part.path(), part.shape())));
            assertEquals(declared, stored);
        }
    }

    @Test
    void mapsTorchtitanNames() {
        assertEquals(
                "layers.12.attention.wq.weight", TorchtitanNames.stored("model.layers.12.self_attn.q_proj.weight"));
        assertEquals("layers.0.feed_forward.w3.weight", TorchtitanNames.stored("model.layers.0.mlp.up_proj.weight"));
        assertEquals("output.weight", TorchtitanNames.stored("lm_head.weight"));
        assertEquals(Map.of("output.weight", "tok_embeddings.weight"), LlamaFormat.TORCHTITAN.copies(options(true)));
        assertEquals(Map.of(), LlamaFormat.TORCHTITAN.copies(options(false)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void derivesOptionsFromShapes(boolean tied) {
        for (LlamaFormat format : List.of(LlamaFormat.HUGGING_FACE, LlamaFormat.TORCHTITAN)) {
            Map<String, Shape> shapes = new LinkedHashMap<>();
            format.tensors(options(tied)).forEach(tensor -> shapes.put(tensor.name(), tensor.shape()));
            assertEquals(Optional.of(options(tied)), format.derive(shapes, SETTINGS, "here"));
        }
    }

    /** Other families share names with Llama, and have more: norms on heads, biases. */
    @ParameterizedTest
    @ValueSource(strings = {"self_attn.q_norm.weight", "self_attn.q_proj.bias"})
    void doesNotTakeAnotherFamilysTensorsForALlama(String more) {
        Map<String, Shape> shapes = new LinkedHashMap<>();
        for (StoredTensor tensor : LlamaFormat.HUGGING_FACE.tensors(options(false))) {
            shapes.put(tensor.name(), tensor.shape());
        }
        assertTrue(LlamaFormat.HUGGING_FACE.derive(shapes, SETTINGS, "here").isPresent());
        shapes.put("model.layers.0." + more, Shape.of(4));
        assertEquals(Optional.empty(), LlamaFormat.HUGGING_FACE.derive(shapes, SETTINGS, "here"));
    }

    /** A family that has no weights in its norms, for instance. */
    @Test
    void doesNotTakeAPartOfItsTensorsForALlama() {
        Map<String, Shape> shapes = new LinkedHashMap<>();
        LlamaFormat.HUGGING_FACE.tensors(options(false)).forEach(tensor -> shapes.put(tensor.name(), tensor.shape()));
        shapes.remove("model.layers.0.input_layernorm.weight");
        assertEquals(Optional.empty(), LlamaFormat.HUGGING_FACE.derive(shapes, SETTINGS, "here"));
    }

    /** What it writes, it reads. */
    @Test
    void readsTheConfigurationThatItWrites() {
        var scaled = new LlamaOptions(
                37, 24, 17, 2, 6, 3, 4, 64, 1e-5, 5e5, new LlamaRopeScaling(), false, 0.03, false, false, 0);
        Stream.concat(all(), Stream.of(scaled)).forEach(options -> {
            var configuration = LlamaFormat.HUGGING_FACE.write(options);
            assertTrue(LlamaFormat.HUGGING_FACE.recognizes(configuration));
            assertEquals(options, LlamaFormat.HUGGING_FACE.read(configuration, "here"));
        });
    }

    /** With weights that no golden has, since goldens have no window shorter than their sequences. */
    @Test
    void referenceOfWindowIsThatOfAnIndependentDecoder() {
        Map<String, GoldenTensor> weights = GoldenTensor.random(LlamaFormat.HUGGING_FACE.tensors(windowed(3)), 7);
        int[] tokens = {5, 36, 0, 9, 9, 21};
        double[][] all = logits(windowed(0), weights, tokens);
        double[][] seen = logits(windowed(3), weights, tokens);
        assertArrayEquals(all[2], seen[2]);
        assertNotEquals(all[3][0], seen[3][0], 1e-6);
        double[][] expected = new PlainDecoder(LlamaFormat.HUGGING_FACE.write(windowed(3)), weights).logits(tokens);
        for (int position = 0; position < tokens.length; position++) {
            assertArrayEquals(expected[position], seen[position], 1e-12);
        }
    }

    private static double[][] logits(LlamaOptions options, Map<String, GoldenTensor> weights, int[] tokens) {
        return LlamaFormat.HUGGING_FACE.referenceLogits(options, GoldenTensor.stored(weights), tokens);
    }

    /** Transformers' Mistral has no biases, so such a model could be trained but not written. */
    @Test
    void rejectsWindowWithBiases() {
        var both = new LlamaOptions(37, 24, 17, 2, 6, 3, 4, 64, 1e-5, 5e5, null, false, 0.02, true, false, 3);
        var rejection = assertThrows(ConfigurationException.class, () -> new LlamaFactory().create(both));
        assertTrue(rejection.getMessage().contains("slidingWindow: 3 is wrong (allowed: 0"), rejection.getMessage());
    }

    @Test
    void rejectsBiasesOfInterleavedHeads() {
        var configuration = LlamaFormat.HUGGING_FACE.write(biased(true, false));
        var rejection = assertThrows(DataException.class, () -> LlamaFormat.TORCHTITAN.read(configuration, "here"));
        assertTrue(rejection.getMessage().startsWith("here: 'attention_bias' is true, but"), rejection.getMessage());
    }

    /** Torchtitan's Llama would ignore the window. */
    @Test
    void rejectsWindowOfTorchtitan() {
        var window = new LlamaOptions(37, 24, 17, 2, 6, 3, 4, 64, 1e-5, 5e5, null, false, 0.02, false, false, 3);
        var rejection = assertThrows(ConfigurationException.class, () -> LlamaFormat.TORCHTITAN.write(window));
        assertTrue(rejection.getMessage().endsWith("set model.exportFormat=huggingface"), rejection.getMessage());
    }
}
