package io.hirundo.lib.inference.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import io.hirundo.DivergedException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SamplingTest {
    private static final float[] LOGITS = {
        (float) Math.log(0.5), (float) Math.log(0.3), (float) Math.log(0.15), (float) Math.log(0.05)
    };

    @Test
    void choosesMostLikelyAndLowestIdAtTemperatureZero() {
        var greedy = new Sampling(0, 1);
        assertEquals(0, greedy.choose(LOGITS, new SplittableRandom(1)));
        assertEquals(1, greedy.choose(new float[] {1, 2, 2}, new SplittableRandom(1)));
    }

    @Test
    void drawsInProportionToProbabilities() {
        double[] frequencies = frequencies(new Sampling(1, 1));
        assertEquals(0.5, frequencies[0], 0.01);
        assertEquals(0.3, frequencies[1], 0.01);
        assertEquals(0.05, frequencies[3], 0.01);
    }

    @Test
    void excludesTokensOutsideTheNucleus() {
        // 0.5 + 0.3 reaches 0.7: the nucleus is the first two tokens.
        double[] frequencies = frequencies(new Sampling(1, 0.7));
        assertEquals(0.625, frequencies[0], 0.01);
        assertEquals(0, frequencies[2]);
    }

    @Test
    void sharpensDistributionAtLowTemperature() {
        assertEquals(0.25 / (0.25 + 0.09 + 0.0225 + 0.0025), frequencies(new Sampling(0.5, 1))[0], 0.01);
    }

    /** Most tokens are never sorted, which must not show: neither where the nucleus holds a few tokens nor where it holds all. */
    @ParameterizedTest
    @ValueSource(doubles = {1e-9, 0.3, 0.95, 0.999999, 1})
    void choosesAsFromTheSortedVocabulary(double topP) {
        var noise = new SplittableRandom(3);
        for (double width : new double[] {0.01, 3, 40}) {
            float[] logits = new float[500];
            for (int id = 0; id < logits.length; id++) {
                logits[id] = (float) (width * noise.nextDouble());
            }
            logits[400] = logits[100];
            for (int seed = 0; seed < 50; seed++) {
                assertEquals(
                        fromSorted(logits, topP, new SplittableRandom(seed)),
                        new Sampling(1, topP).choose(logits, new SplittableRandom(seed)));
            }
        }
    }

    /** Nucleus sampling as it is defined, at temperature 1. */
    private static int fromSorted(float[] logits, double topP, SplittableRandom random) {
        double[] weights = new double[logits.length];
        Integer[] order = new Integer[logits.length];
        double maximum = Double.NEGATIVE_INFINITY;
        for (float logit : logits) {
            maximum = Math.max(maximum, logit);
        }
        for (int id = 0; id < logits.length; id++) {
            weights[id] = Math.exp(logits[id] - maximum);
            order[id] = id;
        }
        Arrays.sort(order, Comparator.comparingDouble(id -> -weights[id]));
        double total = Arrays.stream(weights).sum();
        double nucleus = 0;
        int kept = 0;
        while (kept < order.length && nucleus < topP * total) {
            nucleus += weights[order[kept++]];
        }
        double draw = random.nextDouble() * nucleus;
        for (int i = 0; i < kept - 1; i++) {
            draw -= weights[order[i]];
            if (draw < 0) {
                return order[i];
            }
        }
        return order[kept - 1];
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1, -0.001, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void rejectsTemperature(double temperature) {
        var e = assertThrows(ConfigurationException.class, () -> new Sampling(temperature, 1));
        assertEquals(
                "--temperature: " + temperature + " is wrong (allowed: finite numbers from 0); try 0.8",
                e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, 1.1, Double.NaN, Double.POSITIVE_INFINITY})
    void rejectsTopP(double topP) {
        assertThrows(ConfigurationException.class, () -> new Sampling(1, topP));
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY})
    void rejectsLogitsThatAreNotFinite(float logit) {
        for (double temperature : new double[] {0, 0.8}) {
            var e = assertThrows(
                    DivergedException.class,
                    () -> new Sampling(temperature, 0.9).choose(new float[] {1, logit, 2}, new SplittableRandom(1)));
            assertEquals(
                    "the model's logit of token 1 is " + logit
                            + ": give a model from an earlier checkpoint, or --precision fp32",
                    e.getMessage());
        }
    }

    private static double[] frequencies(Sampling sampling) {
        var random = new SplittableRandom(5);
        double[] counts = new double[LOGITS.length];
        int draws = 50_000;
        for (int i = 0; i < draws; i++) {
            counts[sampling.choose(LOGITS, random)] += 1.0 / draws;
        }
        return counts;
    }
}
