package io.hirundo.checkpointtorch.internal.model;

import io.hirundo.strategy.Setting;

/** The RoPE scaling of type {@code llama3}, with the architecture's option names. The defaults are those of Llama 3.1 8B. */
public record TorchDcpRopeScaling(
    @Setting(value = "What slow frequencies are divided by", min = 1) double factor,
    @Setting(value = "Slow wavelengths begin at the original length divided by this", min = 0) double lowFreqFactor,
    @Setting(value = "Kept wavelengths end at the original length divided by this; above lowFreqFactor", min = 0)
        double highFreqFactor,
    @Setting(value = "Longest sequence before the stretching, in tokens", min = 1) int originalMaxPositionEmbeddings) {
  public TorchDcpRopeScaling() {
    this(8, 1, 4, 8192);
  }
}
