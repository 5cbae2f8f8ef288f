package io.hirundo.lib.engine.layer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class GemmPrecisionSummaryTest {
    private final GemmPrecisionSummary products = new GemmPrecisionSummary();

    @Test
    void groupsLayersThatDifferInTheirNumber() {
        for (int layer : List.of(0, 1, 2, 5)) {
            products.add("model.layers." + layer + ".mlp.down_proj.weight", "fp8");
            products.add("model.layers." + layer + ".mlp.gate_up.weight", layer == 5 ? "bf16 (the last)" : "fp8");
        }
        products.add("lm_head.weight", "bf16 (the head)");
        assertEquals(
                List.of(
                        "GEMMs in fp8: model.layers.0-2,5.mlp.down_proj.weight, model.layers.0-2.mlp.gate_up.weight",
                        "GEMMs in bf16 (the last): model.layers.5.mlp.gate_up.weight",
                        "GEMMs in bf16 (the head): lm_head.weight"),
                products.lines());
    }

    @Test
    void omitsLayersWithoutADescription() {
        products.add("lm_head.weight", "");
        assertEquals(List.of(), products.lines());
    }
}
