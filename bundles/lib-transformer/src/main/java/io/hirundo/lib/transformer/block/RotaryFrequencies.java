package io.hirundo.lib.transformer.block;

import java.util.List;
import java.util.stream.IntStream;

/** Rotary frequencies (Su et al. 2021, arXiv 2104.09864). */
public final class RotaryFrequencies {
    private RotaryFrequencies() {}

    /**
     * Frequencies of a head's D/2 channel pairs.
     *
     * @return radians per position, highest frequency first
     */
    public static List<Double> of(int headDim, double theta) {
        return IntStream.range(0, headDim / 2)
                .mapToObj(pair -> Math.pow(theta, -2.0 * pair / headDim))
                .toList();
    }
}
