package io.hirundo.testkit.parallel;

import io.hirundo.model.parameter.Initialization;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.tensor.Shape;
import io.hirundo.testkit.fixture.FixtureValues;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongToDoubleFunction;

/**
 * Blocks of odd sizes, of which the first and the last share a parameter, with values and gradients that depend on name, element and step
 * alone, so that each rank can compute those of all.
 */
final class FixtureBlocks {
    /** Where a gradient is found: the forward of the last block, as that of a loss head, and the halves of each backward. */
    enum Pass {
        HEAD,
        BACKWARD_INPUT,
        BACKWARD_WEIGHT
    }

    private static final ParameterSpec TIED = spec("model.embed_tokens.weight", Shape.of(37, 12));

    static final List<List<ParameterSpec>> ALL = List.of(
            List.of(TIED),
            List.of(
                    spec("model.layers.0.norm.weight", Shape.of(12)),
                    new ParameterSpec(
                            "model.layers.0.self_attn.qk",
                            List.of(
                                    ParameterPart.whole("model.layers.0.self_attn.q_proj.weight", Shape.of(20, 12)),
                                    ParameterPart.whole("model.layers.0.self_attn.k_proj.weight", Shape.of(11, 12))),
                            Initialization.normal(1)),
                    spec("model.layers.0.self_attn.o_proj.weight", Shape.of(12, 31))),
            List.of(
                    spec("model.layers.1.mlp.up_proj.weight", Shape.of(3, 256)),
                    spec("model.layers.1.mlp.up_proj.bias", Shape.of(41)),
                    spec("model.layers.1.mlp.down_proj.weight", Shape.of(5, 33))),
            List.of(spec("model.norm.weight", Shape.of(7)), TIED));

    /** All parameters once, in declaration order. */
    static final List<ParameterSpec> PARAMETERS =
            ALL.stream().flatMap(List::stream).distinct().toList();

    private FixtureBlocks() {}

    private static ParameterSpec spec(String name, Shape shape) {
        return new ParameterSpec(name, List.of(ParameterPart.whole(name, shape)), Initialization.normal(1));
    }

    static ParameterSpec named(String name) {
        return PARAMETERS.stream()
                .filter(spec -> spec.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no parameter is named " + name));
    }

    /** The weights after an update, by element; exact in FP32. */
    static LongToDoubleFunction weights(String name, int step) {
        String key = name + " after step " + step;
        return element -> FixtureValues.random(key, element);
    }

    /** What a rank finds in one place, by element; exact in FP32. */
    static LongToDoubleFunction gradients(String name, int block, Pass pass, int rank, int step, int microbatch) {
        String key = "gradient of " + name + " in block " + block + " " + pass + " of rank " + rank + ", step " + step
                + ", microbatch " + microbatch;
        return element -> FixtureValues.random(key, element);
    }

    /**
     * Sums over all ranks.
     *
     * @param magnitudes sums of the absolute values of the summands
     */
    record Sums(double[] values, double[] magnitudes) {}

    /** What the gradients of a step must be, by parameter. */
    static Map<String, Sums> sums(int ranks, int step, int microbatches) {
        var sums = new LinkedHashMap<String, Sums>();
        for (int block = 0; block < ALL.size(); block++) {
            for (ParameterSpec spec : ALL.get(block)) {
                int elements = (int) spec.shape().elements();
                Sums of =
                        sums.computeIfAbsent(spec.name(), name -> new Sums(new double[elements], new double[elements]));
                for (Pass pass : Pass.values()) {
                    if (pass == Pass.HEAD && block < ALL.size() - 1) {
                        continue;
                    }
                    for (int rank = 0; rank < ranks; rank++) {
                        for (int microbatch = 0; microbatch < microbatches; microbatch++) {
                            LongToDoubleFunction gradients =
                                    gradients(spec.name(), block, pass, rank, step, microbatch);
                            for (int i = 0; i < elements; i++) {
                                double summand = gradients.applyAsDouble(i);
                                of.values[i] += summand;
                                of.magnitudes[i] += Math.abs(summand);
                            }
                        }
                    }
                }
            }
        }
        return sums;
    }
}
