package io.hirundo.fp8blockwise.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.kernel.attention.Heads;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.precision.LinearShape;
import java.util.List;
import org.junit.jupiter.api.Test;

class Fp8BlockwiseLayersTest {
    private static final Initialization ANY = Initialization.normal(0.02);

    /** An embedding, four blocks, and a head. */
    private static ModelSpec model() {
        return new ModelSpec(
                64,
                32,
                8,
                List.of(
                        new BlockSpec(0, "embed", List.of(new LayerSpec.Embedding("embed.weight", 64, 32, ANY))),
                        block(0),
                        block(1),
                        block(2),
                        block(3),
                        new BlockSpec(5, "lm_head", List.of(new LayerSpec.LossHead("lm_head.weight", 64, 32, ANY)))));
    }

    private static BlockSpec block(int layer) {
        String name = "layers." + layer;
        return new BlockSpec(
                layer + 1,
                name,
                List.of(
                        linear(name + ".qkv", Dims.QUERY_HEADS),
                        new LayerSpec.Attention(name, new Heads(2, 2, 16), List.of(), 8),
                        linear(name + ".out", Dims.HIDDEN)));
    }

    private static LayerSpec<?> linear(String name, String rows) {
        var part = new LayerSpec.LinearPart(name + ".weight", List.of(new Dim(rows, 32)));
        return LayerSpec.Linear.fromResidual(name, List.of(part), 32, ANY);
    }

    private static String described(Fp8BlockwiseOptions options, String layer) {
        return new Fp8Blockwise(options).forModel(model()).describe(new LinearShape(layer + ".weight", 32, 32));
    }

    @Test
    void defaultsToAllLayersExceptTheHead() {
        var defaults = new Fp8BlockwiseOptions();
        for (int layer = 0; layer < 4; layer++) {
            assertEquals("fp8", described(defaults, "layers." + layer + ".qkv"));
            assertEquals("fp8", described(defaults, "layers." + layer + ".out"));
        }
        assertEquals("bf16 (the loss head, unless head=true)", described(defaults, "lm_head"));
    }

    @Test
    void respectsTheOptions() {
        var options = new Fp8BlockwiseOptions(
                Fp8BlockwiseOptions.EXACT, Fp8BlockwiseOptions.E4M3, Fp8BlockwiseOptions.ALIGNED, 1, 2, false, true);
        assertEquals("fp8", described(options, "lm_head"));
        assertEquals("bf16 (firstInBf16=1)", described(options, "layers.0.out"));
        assertEquals("fp8", described(options, "layers.1.out"));
        assertEquals("bf16 (queryKeyValue=false)", described(options, "layers.1.qkv"));
        assertEquals("bf16 (lastInBf16=2)", described(options, "layers.2.out"));
        assertEquals("bf16 (lastInBf16=2)", described(options, "layers.3.out"));
    }
}
