package io.hirundo.modelllama.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.model.Architecture;
import io.hirundo.model.Block;
import io.hirundo.model.layer.Recompute;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Data flow of the blocks, tested with scalar layers. */
class BlocksTest {
    // C 12, F 20, H 6, G 2, D 4: E 40, HD 24, all different.
    private static final LlamaOptions OPTIONS =
            new LlamaOptions(50, 12, 20, 2, 6, 2, 4, 16, 1e-5, 10000, null, false, 0.02, false, false, 0);

    private ScalarLayers layers;
    private List<Block> blocks;
    private Tensor loss;

    @BeforeEach
    void build() {
        build(OPTIONS);
    }

    private void build(LlamaOptions options) {
        layers = new ScalarLayers();
        Architecture llama = new LlamaFactory().create(options);
        blocks = llama.describe().blocks().stream()
                .map(spec -> llama.build(spec, layers))
                .toList();
        loss = layers.ledger.allocate("loss", 0, 0);
    }

    @ParameterizedTest
    @EnumSource(Recompute.class)
    void gradientsMatchFiniteDifferences(Recompute recompute) {
        trainingStep(recompute);
        checkGradients();
    }

    @ParameterizedTest
    @EnumSource(Recompute.class)
    void tiedEmbeddingsShareOneGradient(Recompute recompute) {
        build(new LlamaOptions(50, 12, 20, 2, 6, 2, 4, 16, 1e-5, 10000, null, true, 0.02, false, false, 0));
        trainingStep(recompute);
        checkGradients();
        assertEquals(
                blocks.getFirst().parameters(), blocks.getLast().parameters().subList(1, 2));
    }

    @ParameterizedTest
    @EnumSource(Recompute.class)
    void closesAllTensorsAfterStep(Recompute recompute) {
        trainingStep(recompute);
        assertEquals(Set.of(loss), Set.copyOf(layers.ledger.open()));
    }

    @Test
    void evaluationSavesNoActivations() {
        var context = new ScalarContext(layers, Recompute.NONE, loss);
        Tensor x = layers.ledger.allocate("x", 12, 0.7);
        Tensor y = blocks.get(1).forward(context, x, null);
        assertEquals(Set.of(loss, x, y), Set.copyOf(layers.ledger.open()));
        assertNull(blocks.getLast().forward(context, y, null));
        assertEquals(Set.of(loss, x, y), Set.copyOf(layers.ledger.open()));
        assertNotEquals(0, ScalarTensor.value(loss));
        assertTrue(layers.parameters.values().stream().allMatch(parameter -> parameter.gradient == 0));
    }

    @Test
    void logitsApplyNormAndHead() {
        var context = new ScalarContext(layers, Recompute.NONE, loss);
        Tensor x = layers.ledger.allocate("x", 12, 0.7);
        Tensor logits = blocks.getLast().logits(context, x);
        assertEquals(Set.of(loss, x, logits), Set.copyOf(layers.ledger.open()));
        double norm = layers.parameters.get("model.norm.weight").value * 0.7 / 1.49;
        assertEquals(layers.parameters.get("lm_head.weight").value * norm, ScalarTensor.value(logits), 1e-15);
    }

    @Test
    void transformerBlockCallsLayersInOrder() {
        transformerPhases(Recompute.NONE);
        assertEquals(
                List.of(
                        "input_layernorm",
                        "qkv",
                        "attention",
                        "o_proj",
                        "post_attention_layernorm",
                        "gate_up",
                        "mlp",
                        "down_proj",
                        "add",
                        "down_proj.input",
                        "mlp.input",
                        "gate_up.input",
                        "post_attention_layernorm.input",
                        "o_proj.input",
                        "attention.input",
                        "qkv.input",
                        "input_layernorm.input",
                        "down_proj.weight",
                        "gate_up.weight",
                        "post_attention_layernorm.weight",
                        "o_proj.weight",
                        "qkv.weight",
                        "input_layernorm.weight"),
                layers.calls);
    }

    @Test
    void selectiveRecomputesSwigluInFirstHalfAndNormsInSecond() {
        transformerPhases(Recompute.SELECTIVE);
        assertEquals(
                List.of(
                        "down_proj.input",
                        "mlp.input",
                        "mlp",
                        "gate_up.input",
                        "post_attention_layernorm.input",
                        "o_proj.input",
                        "attention.input",
                        "qkv.input",
                        "input_layernorm.input",
                        "down_proj.weight",
                        "post_attention_layernorm.reapply",
                        "gate_up.weight",
                        "post_attention_layernorm.weight",
                        "o_proj.weight",
                        "input_layernorm.reapply",
                        "qkv.weight",
                        "input_layernorm.weight"),
                layers.calls.subList(9, layers.calls.size()));
    }

    /**
     * Elements per token, from the table in {@code TransformerBlock}: kept by the forward {@code 3C + 2 + E + HD + H + 3F} and
     * {@code C + 2 + E + HD + H + 2F}; after the first half, less q, k, v, their log sum exp and gate-up, with the product in
     * either case, and with {@code 4C + 2F + E} of gradients.
     */
    @ParameterizedTest
    @CsvSource({"NONE, 168, 210", "SELECTIVE, 124, 186", "FULL, 168, 210"})
    void savedActivationsMatchDocumentation(Recompute recompute, long afterForward, long afterFirstHalf) {
        List<Long> kept = transformerPhases(recompute);
        assertEquals(List.of(afterForward, afterFirstHalf, 0L), kept);
    }

    /** Peaks of the phases, in elements per token, input and output of the block included: any growth must be explained. */
    @ParameterizedTest
    @CsvSource({"NONE, 192, 280, 234", "SELECTIVE, 168, 256, 210"})
    void peakActivationsDoNotGrow(Recompute recompute, long forward, long firstHalf, long secondHalf) {
        var peaks = new ArrayList<Long>();
        transformerPhases(recompute, peaks);
        assertEquals(List.of(forward, firstHalf, secondHalf), peaks);
    }

    private List<Long> transformerPhases(Recompute recompute) {
        return transformerPhases(recompute, new ArrayList<>());
    }

    private List<Long> transformerPhases(Recompute recompute, List<Long> peaks) {
        var kept = new ArrayList<Long>();
        var context = new ScalarContext(layers, recompute, loss);
        var saved = new MapSaved();
        Block block = blocks.get(1);
        Tensor x = layers.ledger.allocate("x", 12, 0.7);
        Tensor y = block.forward(context, x, saved);
        record(kept, peaks, saved);
        y.close();
        Tensor dy = layers.ledger.allocate("dy", 12, 1);
        Tensor dx = block.backwardInput(context, x, dy, saved);
        record(kept, peaks, saved);
        block.backwardWeight(context, x, saved);
        record(kept, peaks, saved);
        assertEquals(Set.of(loss, x, dx), Set.copyOf(layers.ledger.open()));
        return kept;
    }

    private void record(List<Long> kept, List<Long> peaks, MapSaved saved) {
        kept.add(saved.tensors.values().stream().mapToLong(Tensor::elements).sum());
        peaks.add(layers.ledger.peakElements());
        layers.ledger.resetPeak();
    }

    /** One step as the trainer does it, the two halves of all blocks apart as a zero-bubble schedule has them. */
    private void trainingStep(Recompute recompute) {
        var context = new ScalarContext(layers, recompute, loss);
        var inputs = new ArrayList<Tensor>();
        var saved = new ArrayList<MapSaved>();
        Tensor x = null;
        for (Block block : blocks) {
            inputs.add(x);
            saved.add(new MapSaved());
            x = block.forward(context, x, isRecomputed(recompute, block) ? null : saved.getLast());
        }
        assertNull(x);
        Tensor dy = null;
        for (int index = blocks.size() - 1; index >= 0; index--) {
            Block block = blocks.get(index);
            if (isRecomputed(recompute, block)) {
                block.forward(context, inputs.get(index), saved.get(index)).close();
            }
            dy = block.backwardInput(context, inputs.get(index), dy, saved.get(index));
        }
        assertNull(dy);
        for (int index = blocks.size() - 1; index >= 0; index--) {
            blocks.get(index).backwardWeight(context, inputs.get(index), saved.get(index));
            assertTrue(saved.get(index).tensors.isEmpty(), () -> "left over: " + saved);
            if (inputs.get(index) != null) {
                inputs.get(index).close();
            }
        }
    }

    private boolean isRecomputed(Recompute recompute, Block block) {
        return recompute == Recompute.FULL && blocks.indexOf(block) > 0 && block != blocks.getLast();
    }

    private void checkGradients() {
        for (ScalarParameter parameter : layers.parameters.values()) {
            double h = 1e-5;
            double original = parameter.value;
            parameter.value = original + h;
            double above = evaluate();
            parameter.value = original - h;
            double below = evaluate();
            parameter.value = original;
            double expected = (above - below) / (2 * h);
            assertNotEquals(0, expected, parameter.name);
            assertEquals(expected, parameter.gradient, 1e-8 * Math.max(1, Math.abs(expected)), parameter.name);
        }
    }

    private double evaluate() {
        Tensor sum = layers.ledger.allocate("loss", 0, 0);
        var context = new ScalarContext(layers, Recompute.NONE, sum);
        Tensor x = null;
        for (Block block : blocks) {
            Tensor y = block.forward(context, x, null);
            if (x != null) {
                x.close();
            }
            x = y;
        }
        return ScalarTensor.value(sum);
    }
}
