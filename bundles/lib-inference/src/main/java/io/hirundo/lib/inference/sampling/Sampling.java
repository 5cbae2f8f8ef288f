package io.hirundo.lib.inference.sampling;

import io.hirundo.ConfigurationException;
import io.hirundo.DivergedException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Sampling parameters: how the next token is chosen from the logits.
 *
 * @param temperature divides the logits; 0 is greedy decoding
 * @param topP nucleus sampling: draws from the smallest set of most likely tokens whose probabilities sum to at least this value (Holtzman
 *     et al. 2019, arXiv 1904.09751)
 */
public record Sampling(double temperature, double topP) {
    /** Weights of tokens to sort: first those of likely tokens only, at last all. */
    private static final double[] FLOORS = {0x1p-8, 0x1p-16, 0x1p-32, 0};

    public Sampling {
        // NaN compares as false, so these reject it as well.
        if (!(temperature >= 0 && temperature < Double.POSITIVE_INFINITY)) {
            throw new ConfigurationException(
                    "--temperature: " + temperature + " is wrong (allowed: finite numbers from 0); try 0.8");
        }
        if (!(topP > 0 && topP <= 1)) {
            throw new ConfigurationException("--top-p: " + topP + " is wrong (allowed: above 0, at most 1); try 0.95");
        }
    }

    /**
     * Chooses a token from one row of logits, [V]. Ties go to the lowest id.
     *
     * @throws DivergedException if a logit is NaN or infinite, which finite weights can cause by overflow
     */
    int choose(float[] logits, RandomGenerator random) {
        for (int id = 0; id < logits.length; id++) {
            if (!Float.isFinite(logits[id])) {
                throw new DivergedException("the model's logit of token " + id + " is " + logits[id]
                        + ": give a model from an earlier checkpoint, or --precision fp32");
            }
        }
        if (temperature == 0) {
            return mostLikely(logits);
        }
        double[] weights = weights(logits);
        double wanted = topP * Arrays.stream(weights).sum();
        int[] order = {};
        int kept = 0;
        double nucleus = 0;
        // Sorting all of a vocabulary would cost more than the forward pass of a small model.
        for (double floor : FLOORS) {
            order = atLeast(floor, weights);
            kept = 0;
            nucleus = 0;
            while (kept < order.length && nucleus < wanted) {
                nucleus += weights[order[kept++]];
            }
            if (nucleus >= wanted) {
                break;
            }
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

    /** The tokens with at least this weight, the most likely first; ties by id. */
    private static int[] atLeast(double floor, double[] weights) {
        return IntStream.range(0, weights.length)
                .filter(id -> weights[id] >= floor)
                .boxed()
                .sorted(Comparator.comparingDouble((Integer id) -> -weights[id]))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** {@code exp((logit - maximum) / temperature)}: the most likely token has weight 1. */
    private double[] weights(float[] logits) {
        double maximum = logits[mostLikely(logits)];
        double[] weights = new double[logits.length];
        for (int id = 0; id < logits.length; id++) {
            weights[id] = Math.exp((logits[id] - maximum) / temperature);
        }
        return weights;
    }

    private static int mostLikely(float[] logits) {
        int best = 0;
        for (int id = 1; id < logits.length; id++) {
            if (logits[id] > logits[best]) {
                best = id;
            }
        }
        return best;
    }
}
