package io.hirundo.modelllama.internal;

import io.hirundo.lib.transformer.block.RotaryFrequencies;
import java.util.List;

/** Rotary frequencies, scaled as in Llama 3.1 (Llama Team 2024, arXiv 2407.21783). */
final class ScaledFrequencies {
    private ScaledFrequencies() {}

    /**
     * Frequencies of a head's D/2 channel pairs.
     *
     * @param scaling or null
     * @return radians per position, highest frequency first
     */
    static List<Double> of(int headDim, double theta, LlamaRopeScaling scaling) {
        return RotaryFrequencies.of(headDim, theta).stream()
                .map(frequency -> scaling == null ? frequency : scaled(frequency, scaling))
                .toList();
    }

    /**
     * Wavelengths below {@code original / high} are unchanged; those above {@code original / low} are multiplied by the factor. In
     * between, {@code s = (original / wavelength - low) / (high - low)} interpolates: {@code (1 - s) f / factor + s f}.
     */
    private static double scaled(double frequency, LlamaRopeScaling scaling) {
        double turns = scaling.originalMaxPositionEmbeddings() * frequency / (2 * Math.PI);
        if (turns > scaling.highFreqFactor()) {
            return frequency;
        }
        if (turns < scaling.lowFreqFactor()) {
            return frequency / scaling.factor();
        }
        double smooth = (turns - scaling.lowFreqFactor()) / (scaling.highFreqFactor() - scaling.lowFreqFactor());
        return (1 - smooth) * frequency / scaling.factor() + smooth * frequency;
    }
}
