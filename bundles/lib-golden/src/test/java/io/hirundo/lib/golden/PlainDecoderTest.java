package io.hirundo.lib.golden;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.lib.golden.ModelGolden.ConfigForm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The Transformers library and {@link PlainDecoder} compute the same, and every feature of a golden changes what they compute. */
class PlainDecoderTest {
    private static final double CLOSE = 1e-12;

    static List<ModelGolden> goldens() {
        return Stream.of("model-llama", "model-qwen", "model-gemma2")
                .flatMap(bundle -> ModelGolden.all(resources(bundle)).stream())
                .toList();
    }

    private static Path resources(String bundle) {
        return Path.of("..", bundle, "src/test/resources");
    }

    private static PlainDecoder decoder(ModelGolden golden, ConfigForm form) {
        return new PlainDecoder(golden.configuration(form), golden.weights());
    }

    @Test
    void thereAreFourteen() {
        assertEquals(14, goldens().size());
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void computesTheLossFromBothFormsOfTheConfiguration(ModelGolden golden) {
        for (ConfigForm form : ConfigForm.values()) {
            if (!golden.has(form)) {
                continue;
            }
            assertEquals(
                    golden.loss(), decoder(golden, form).loss(golden.tokens()), CLOSE * golden.loss(), form::toString);
        }
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void computesTheLogits(ModelGolden golden) {
        int[] inputs = Arrays.copyOf(golden.tokens()[0], golden.tokens()[0].length - 1);
        double[] logits = Stream.of(decoder(golden, ConfigForm.TRANSFORMERS_5).logits(inputs))
                .flatMapToDouble(Arrays::stream)
                .toArray();
        assertArrayEquals(
                golden.logits().values(),
                logits,
                CLOSE * Arrays.stream(logits).map(Math::abs).max().orElseThrow());
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void choosesTheSameGreedyTokens(ModelGolden golden) {
        assertArrayEquals(
                golden.greedy(),
                decoder(golden, ConfigForm.TRANSFORMERS_5).greedy(golden.prompt(), golden.greedy().length));
    }

    /** The loss along a random direction in each tensor, by the central difference of fourth order. */
    @ParameterizedTest
    @MethodSource("goldens")
    void gradientsAreThoseOfTheLoss(ModelGolden golden) {
        Map<String, GoldenTensor> weights = golden.weights();
        Map<String, GoldenTensor> gradients = golden.gradients();
        assertEquals(weights.keySet(), gradients.keySet());
        var decoder = new PlainDecoder(golden.configuration(ConfigForm.TRANSFORMERS_5), weights);
        var random = new Random(7);
        double step = 1e-3;
        gradients.forEach((name, gradient) -> {
            double[] stored = weights.get(name).values();
            double[] kept = stored.clone();
            double[] direction = random.doubles(kept.length, -1, 1).toArray();
            double[] losses = new double[4];
            int[] steps = {-2, -1, 1, 2};
            for (int index = 0; index < steps.length; index++) {
                for (int element = 0; element < kept.length; element++) {
                    stored[element] = kept[element] + steps[index] * step * direction[element] / Math.sqrt(kept.length);
                }
                losses[index] = decoder.loss(golden.tokens());
            }
            System.arraycopy(kept, 0, stored, 0, kept.length);
            double slope = (losses[0] - 8 * losses[1] + 8 * losses[2] - losses[3]) / (12 * step);
            double expected = 0;
            for (int element = 0; element < kept.length; element++) {
                expected += gradient.values()[element] * direction[element] / Math.sqrt(kept.length);
            }
            assertEquals(expected, slope, 1e-7, name);
        });
    }

    /** A feature of a configuration, without which another loss is computed. */
    record Feature(ModelGolden golden, String field, Object without) {
        @Override
        public String toString() {
            return golden + " without " + field;
        }
    }

    /** That of transformers 4, whose fields are not nested, where there is one. */
    private static ConfigForm form(ModelGolden golden) {
        return golden.has(ConfigForm.TRANSFORMERS_4) ? ConfigForm.TRANSFORMERS_4 : ConfigForm.TRANSFORMERS_5;
    }

    static List<Feature> features() {
        var features = new ArrayList<Feature>();
        for (ModelGolden golden : goldens()) {
            Map<String, Object> config = golden.configuration(form(golden));
            if (golden.has(ConfigForm.TRANSFORMERS_4)) {
                features.add(new Feature(golden, "rope_theta", 100_000L));
            } else {
                features.add(new Feature(golden, "sliding_window", 128L));
            }
            if (config.get("model_type").equals("gemma2")) {
                features.add(new Feature(golden, "sliding_window", 128L));
                features.add(new Feature(golden, "attn_logit_softcapping", null));
                features.add(new Feature(golden, "final_logit_softcapping", null));
                features.add(new Feature(golden, "query_pre_attn_scalar", 100L));
            }
            if (config.get("rope_scaling") != null) {
                features.add(new Feature(golden, "rope_scaling", null));
            }
        }
        return features;
    }

    @ParameterizedTest
    @MethodSource("features")
    void everyFieldMatters(Feature feature) {
        ModelGolden golden = feature.golden();
        var config = new LinkedHashMap<>(golden.configuration(form(golden)));
        config.put(feature.field(), feature.without());
        double loss = new PlainDecoder(config, golden.weights()).loss(golden.tokens());
        // Soft caps as published hardly bend the scores of so small a model; the golden "gemma2" has strong ones.
        double least = golden.name().equals("gemma2-bf16") ? 1e-7 : 1e-3;
        assertTrue(
                Math.abs(loss - golden.loss()) > least,
                () -> "the loss changes by " + (loss - golden.loss()) + " only");
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void everyBiasAndNormMatters(ModelGolden golden) {
        for (String name : golden.weights().keySet()) {
            if (name.endsWith(".bias") || name.endsWith("norm.weight")) {
                var weights = golden.weights();
                Arrays.fill(
                        weights.get(name).values(),
                        name.endsWith(".bias") || golden.name().startsWith("gemma2") ? 0 : 1);
                double loss = new PlainDecoder(golden.configuration(ConfigForm.TRANSFORMERS_5), weights)
                        .loss(golden.tokens());
                assertTrue(Math.abs(loss - golden.loss()) > 1e-5, () -> name + ": the loss stays " + loss);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void countsTheParameters(ModelGolden golden) {
        assertEquals(
                golden.parameters(),
                golden.weights().values().stream()
                        .mapToLong(tensor -> tensor.shape().elements())
                        .sum());
    }
}
