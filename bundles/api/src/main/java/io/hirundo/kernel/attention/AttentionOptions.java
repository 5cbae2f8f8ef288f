package io.hirundo.kernel.attention;

import java.util.ArrayList;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * What a model changes of the scores and the mask of causal attention. In this order: the product of query and key is multiplied by the
 * scale, then capped, then masked.
 *
 * @param scale of scores; empty for {@code 1/sqrt(D)}
 * @param softCap scores s become {@code softCap tanh(s / softCap)}, as in Gemma 2 (arXiv 2408.00118); empty for none
 * @param window sliding window: a query sees so many positions, its own included; empty for all earlier ones. Counted as transformers
 *     counts it for Mistral and Gemma 2
 */
public record AttentionOptions(OptionalDouble scale, OptionalDouble softCap, OptionalInt window) {
    /** Plain causal attention. */
    public static final AttentionOptions NONE =
            new AttentionOptions(OptionalDouble.empty(), OptionalDouble.empty(), OptionalInt.empty());

    /**
     * @throws IllegalArgumentException if a value is not positive
     */
    public AttentionOptions {
        requirePositive("scale", scale);
        requirePositive("softCap", softCap);
        if (window.isPresent() && window.getAsInt() < 1) {
            throw new IllegalArgumentException("window is " + window.getAsInt() + " (allowed: at least 1)");
        }
    }

    private static void requirePositive(String name, OptionalDouble value) {
        if (value.isPresent() && !(value.getAsDouble() > 0 && Double.isFinite(value.getAsDouble()))) {
            throw new IllegalArgumentException(name + " is " + value.getAsDouble() + " (allowed: positive numbers)");
        }
    }

    public AttentionOptions withScale(double value) {
        return new AttentionOptions(OptionalDouble.of(value), softCap, window);
    }

    public AttentionOptions withSoftCap(double value) {
        return new AttentionOptions(scale, OptionalDouble.of(value), window);
    }

    public AttentionOptions withWindow(int value) {
        return new AttentionOptions(scale, softCap, OptionalInt.of(value));
    }

    /** What is set, as in {@code soft cap 50.0, window 4096}. */
    @Override
    public String toString() {
        var set = new ArrayList<String>();
        scale.ifPresent(value -> set.add("scale " + value));
        softCap.ifPresent(value -> set.add("soft cap " + value));
        window.ifPresent(value -> set.add("window " + value));
        return set.isEmpty() ? "no options" : String.join(", ", set);
    }

    /** The factor of scores between heads of this size. */
    public double scale(Heads heads) {
        return scale.orElse(1 / Math.sqrt(heads.dim()));
    }
}
