package io.hirundo.lib.transformer.block;

import io.hirundo.ConfigurationException;
import io.hirundo.kernel.attention.Heads;

/**
 * Rejects options that cannot make a decoder. Options have the names of {@code config.json} in camel case.
 *
 * @param architecture its name, for messages
 */
public record OptionCheck(String architecture) {
    /** Requires a number of something. */
    public void atLeastOne(String name, int value) {
        require(name, value, value >= 1, "at least 1");
    }

    /** Requires what every decoder needs of its numbers. */
    public void sizes(Decoder.Sizes sizes) {
        atLeastOne("vocabSize", sizes.vocabulary());
        atLeastOne("hiddenSize", sizes.hidden());
        atLeastOne("intermediateSize", sizes.intermediate());
        atLeastOne("numHiddenLayers", sizes.layers());
        atLeastOne("maxPositionEmbeddings", sizes.maximumPositions());
        require("rmsNormEps", sizes.epsilon(), isPositive((float) sizes.epsilon()), "above 0, also in FP32");
        double range = sizes.initializerRange();
        require(
                "initializerRange",
                range,
                range >= 0 && Float.isFinite((float) range),
                "at least 0 and finite in FP32");
    }

    /**
     * The heads.
     *
     * @param keyValue 0 for as many as {@code query}
     * @param dim channels of a head; 0 for {@code hidden / query}
     */
    public Heads heads(int query, int keyValue, int dim, int hidden) {
        atLeastOne("numAttentionHeads", query);
        int shared = keyValue == 0 ? query : keyValue;
        require(
                "numKeyValueHeads",
                keyValue,
                shared > 0 && query % shared == 0,
                "a divisor of numAttentionHeads, " + query + ", or 0 for as many");
        if (dim == 0) {
            long twice = 2L * query;
            require(
                    "hiddenSize",
                    hidden,
                    hidden % twice == 0,
                    "a multiple of " + twice + " (twice numAttentionHeads), or headDim be given");
            return new Heads(query, shared, hidden / query);
        }
        require("headDim", dim, dim > 0 && dim % 2 == 0, "even, or 0 for hiddenSize / numAttentionHeads");
        return new Heads(query, shared, dim);
    }

    /** Whether a number is finite and above 0. */
    public static boolean isPositive(double value) {
        return value > 0 && Double.isFinite(value);
    }

    /**
     * Requires a condition.
     *
     * @param what is allowed
     * @throws ConfigurationException if it is not met
     */
    public void require(String name, Object value, boolean allowed, String what) {
        if (!allowed) {
            throw new ConfigurationException(
                    "architecture " + architecture + ": " + name + ": " + value + " is wrong (allowed: " + what + ")");
        }
    }
}
