package io.hirundo.modelllama.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.model.Activation;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.Dim;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.parameter.Initialization;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LlamaTest {
    private static final LlamaOptions SMALL =
            new LlamaOptions(50, 24, 40, 2, 6, 2, 0, 16, 1e-5, 10000, null, false, 0.02, false, false, 0);

    @Test
    void describesBlocksWithPublishedNames() {
        ModelSpec model = new LlamaFactory().create(SMALL).describe();
        assertEquals(50, model.vocabulary());
        assertEquals(24, model.hidden());
        assertEquals(16, model.maximumSequenceTokens());
        assertEquals(
                List.of("model.embed_tokens", "model.layers.0", "model.layers.1", "lm_head"),
                model.blocks().stream().map(BlockSpec::name).toList());
        assertEquals(
                List.of(0, 1, 2, 3),
                model.blocks().stream().map(BlockSpec::index).toList());
        var matrix = Initialization.normal(0.02);
        var residual = Initialization.normal(0.01);
        String layer = "model.layers.1.";
        List<Dim> query = List.of(new Dim("query-heads", 6), new Dim("head", 4));
        List<Dim> keyValue = List.of(new Dim("kv-heads", 2, Optional.of(query.getFirst())), new Dim("head", 4));
        List<Dim> inner = List.of(new Dim("inner", 40));
        assertEquals(
                List.of(
                        new LayerSpec.Norm(layer + "input_layernorm.weight", Activation.residual(24), 1e-5),
                        LayerSpec.Linear.fromResidual(
                                layer + "self_attn.qkv",
                                List.of(
                                        new LayerSpec.LinearPart(layer + "self_attn.q_proj.weight", query),
                                        new LayerSpec.LinearPart(layer + "self_attn.k_proj.weight", keyValue),
                                        new LayerSpec.LinearPart(layer + "self_attn.v_proj.weight", keyValue)),
                                24,
                                matrix),
                        new LayerSpec.Attention(layer + "self_attn", new Heads(6, 2, 4), List.of(1.0, 0.01), 16),
                        LayerSpec.Linear.toResidual(
                                layer + "self_attn.o_proj", layer + "self_attn.o_proj.weight", query, 24, residual),
                        new LayerSpec.Norm(layer + "post_attention_layernorm.weight", Activation.residual(24), 1e-5),
                        LayerSpec.Linear.fromResidual(
                                layer + "mlp.gate_up",
                                List.of(
                                        new LayerSpec.LinearPart(layer + "mlp.gate_proj.weight", inner),
                                        new LayerSpec.LinearPart(layer + "mlp.up_proj.weight", inner)),
                                24,
                                matrix),
                        new LayerSpec.GatedMlp(layer + "mlp", 40),
                        LayerSpec.Linear.toResidual(
                                layer + "mlp.down_proj", layer + "mlp.down_proj.weight", inner, 24, residual)),
                model.blocks().get(2).layers());
        assertEquals(
                List.of(
                        new LayerSpec.Norm("model.norm.weight", Activation.residual(24), 1e-5),
                        new LayerSpec.LossHead("lm_head.weight", 50, 24, matrix)),
                model.blocks().getLast().layers());
    }

    @Test
    void tiedHeadNamesTheEmbedding() {
        var tied = new LlamaOptions(50, 24, 40, 1, 6, 0, 0, 16, 1e-5, 10000, null, true, 0.02, false, false, 0);
        var head = (LayerSpec.LossHead) new LlamaFactory()
                .create(tied)
                .describe()
                .blocks()
                .getLast()
                .layers()
                .get(1);
        var embedding = (LayerSpec.Embedding) new LlamaFactory()
                .create(tied)
                .describe()
                .blocks()
                .getFirst()
                .layers()
                .get(0);
        assertEquals("model.embed_tokens.weight", head.path());
        assertEquals(head.path(), embedding.path());
    }

    @Test
    void headDimNeedNotBeHiddenOverHeads() {
        var wide = new LlamaOptions(50, 10, 40, 1, 3, 1, 8, 16, 1e-5, 10000, null, false, 0.02, false, false, 0);
        List<LayerSpec<?>> layers =
                new LlamaFactory().create(wide).describe().blocks().get(1).layers();
        assertEquals(3 * 8 + 2 * 8, layers.get(1).matrices().getFirst().outputs());
        assertEquals(3 * 8, layers.get(3).matrices().getFirst().inputs());
        assertEquals(new Heads(3, 1, 8), ((LayerSpec.Attention) layers.get(2)).heads());
    }

    /** Published sizes give the published parameter counts. */
    @ParameterizedTest
    @CsvSource({
        "32000, 4096, 11008, 32, 32, 0, false, 6738415616",
        "128256, 4096, 14336, 32, 32, 8, false, 8030261248",
        "128256, 8192, 28672, 80, 64, 8, false, 70553706496",
        "128256, 2048, 8192, 16, 32, 8, true, 1235814400"
    })
    void parameterCountsMatchPublishedModels(
            int vocab, int hidden, int inner, int layers, int heads, int kv, boolean tied, long parameters) {
        var options = new LlamaOptions(
                vocab, hidden, inner, layers, heads, kv, 0, 8192, 1e-5, 500000, null, tied, 0.02, false, false, 0);
        // Tied weights have the same path.
        Map<String, Long> counted = new HashMap<>();
        new LlamaFactory()
                .create(options).describe().blocks().stream()
                        .flatMap(block -> block.layers().stream())
                        .flatMap(layer -> layer.weights().stream())
                        .forEach(weight ->
                                counted.put(weight.path(), weight.globalShape().elements()));
        assertEquals(
                parameters, counted.values().stream().mapToLong(Long::longValue).sum());
    }

    @Test
    void rejectsImpossibleSizesByName() {
        rejected(
                new LlamaOptions(50, 25, 40, 1, 6, 2, 0, 16, 1e-5, 10000, null, false, 0.02, false, false, 0),
                "hiddenSize: 25 is wrong (allowed: a multiple of 12 (twice numAttentionHeads), or headDim be given)");
        rejected(
                new LlamaOptions(50, 24, 40, 1, 6, 4, 0, 16, 1e-5, 10000, null, false, 0.02, false, false, 0),
                "numKeyValueHeads: 4 is wrong (allowed: a divisor of numAttentionHeads, 6, or 0 for as many)");
        rejected(
                new LlamaOptions(50, 24, 40, 1, 6, 2, 5, 16, 1e-5, 10000, null, false, 0.02, false, false, 0),
                "headDim: 5 is wrong (allowed: even, or 0 for hiddenSize / numAttentionHeads)");
        rejected(
                new LlamaOptions(0, 24, 40, 1, 6, 2, 0, 16, 1e-5, 10000, null, false, 0.02, false, false, 0),
                "vocabSize: 0 is wrong (allowed: at least 1)");
        rejected(
                new LlamaOptions(50, 24, 40, 1, 6, 2, 0, 16, 0, 10000, null, false, 0.02, false, false, 0),
                "rmsNormEps: 0.0 is wrong (allowed: above 0, also in FP32)");
        rejected(
                new LlamaOptions(50, 24, 40, 1, 6, 2, 0, 16, 1e-300, 10000, null, false, 0.02, false, false, 0),
                "rmsNormEps: 1.0E-300 is wrong (allowed: above 0, also in FP32)");
        rejected(
                new LlamaOptions(50, 24, 40, 1, 6, 2, 0, 16, 1e-5, 10000, null, false, 1e300, false, false, 0),
                "initializerRange: 1.0E300 is wrong (allowed: at least 0 and finite in FP32)");
        rejected(
                new LlamaOptions(50, 24, 40, 1, 6, 2, 0, 16, 1, Double.NaN, null, false, 0.02, false, false, 0),
                "ropeTheta: NaN is wrong (allowed: above 0)");
        var upsideDown = new LlamaRopeScaling(8, 4, 4, 8192);
        rejected(
                new LlamaOptions(50, 24, 40, 1, 6, 2, 0, 16, 1e-5, 10000, upsideDown, false, 0.02, false, false, 0),
                "ropeScaling.highFreqFactor: 4.0 is wrong (allowed: above lowFreqFactor, 4.0)");
    }

    private static void rejected(LlamaOptions options, String message) {
        var rejection = assertThrows(ConfigurationException.class, () -> new LlamaFactory().create(options));
        assertEquals("architecture llama: " + message, rejection.getMessage());
    }

    @Test
    void rejectsForeignBlock() {
        var stranger = new BlockSpec(0, "stranger", List.of());
        assertThrows(
                IllegalArgumentException.class,
                () -> new LlamaFactory().create(SMALL).build(stranger, new ScalarLayers()));
    }
}
