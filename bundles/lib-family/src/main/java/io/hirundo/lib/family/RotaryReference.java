package io.hirundo.lib.family;

import io.hirundo.lib.family.TransformerReference.RotaryPairs;

/** Reference rotary embedding, with frequency scaling for {@code rope_type: llama3}. */
final class RotaryReference {
    private final double[] frequencies;
    private final RotaryPairs pairs;

    RotaryReference(Rope rope, int dim, RotaryPairs pairs) {
        this.pairs = pairs;
        this.frequencies = new double[dim / 2];
        for (int pair = 0; pair < frequencies.length; pair++) {
            double frequency = 1 / Math.pow(rope.theta(), 2.0 * pair / dim);
            frequencies[pair] = rope.scaling() == null ? frequency : stretched(frequency, rope.scaling());
        }
    }

    private static double stretched(double frequency, Rope.Scaling scaling) {
        double wavelength = 2 * Math.PI / frequency;
        double longest = scaling.originalMaxPositions() / scaling.lowFreqFactor();
        double shortest = scaling.originalMaxPositions() / scaling.highFreqFactor();
        if (wavelength > longest) {
            return frequency / scaling.factor();
        }
        if (wavelength < shortest) {
            return frequency;
        }
        double smooth = (scaling.originalMaxPositions() / wavelength - scaling.lowFreqFactor())
                / (scaling.highFreqFactor() - scaling.lowFreqFactor());
        return (1 - smooth) * frequency / scaling.factor() + smooth * frequency;
    }

    /** Rotates all heads of one position, stored head after head. */
    void rotate(double[] heads, int position) {
        int half = frequencies.length;
        for (int head = 0; head < heads.length; head += 2 * half) {
            for (int pair = 0; pair < half; pair++) {
                double cos = Math.cos(position * frequencies[pair]);
                double sin = Math.sin(position * frequencies[pair]);
                int one = head + (pairs == RotaryPairs.HALVES ? pair : 2 * pair);
                int other = one + (pairs == RotaryPairs.HALVES ? half : 1);
                double first = heads[one];
                double second = heads[other];
                heads[one] = first * cos - second * sin;
                heads[other] = second * cos + first * sin;
            }
        }
    }
}
