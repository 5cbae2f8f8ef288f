package io.hirundo.modelllama.internal;

import io.hirundo.strategy.Setting;

/**
 * Frequency scaling of Llama 3.1 to 3.3 ({@code rope_type: llama3}). The defaults are those of Llama 3.1 8B.
 *
 * @param factor low frequencies are divided by it
 * @param lowFreqFactor wavelengths above {@code originalMaxPositionEmbeddings / lowFreqFactor} have a low frequency
 * @param highFreqFactor wavelengths below {@code originalMaxPositionEmbeddings / highFreqFactor} are unchanged
 * @param originalMaxPositionEmbeddings context length before scaling, in tokens
 */
public record LlamaRopeScaling(
        @Setting(value = "What slow frequencies are divided by", min = 1)
        double factor,

        @Setting(value = "Slow wavelengths begin at the original length divided by this", min = 0)
        double lowFreqFactor,

        @Setting(value = "Kept wavelengths end at the original length divided by this; above lowFreqFactor", min = 0)
        double highFreqFactor,

        @Setting(value = "Longest sequence before the stretching, in tokens", min = 1)
        int originalMaxPositionEmbeddings) {
    public LlamaRopeScaling() {
        this(8, 1, 4, 8192);
    }
}
