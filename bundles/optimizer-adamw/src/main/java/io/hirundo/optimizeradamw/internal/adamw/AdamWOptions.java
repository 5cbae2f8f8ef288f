package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code adamw}.
 *
 * @param beta1 decay of the first moment
 * @param beta2 decay of the second moment
 * @param epsilon added to the root of the second moment
 * @param weightDecay of matrices; vectors never decay
 * @param eightBitState whether moments of large matrices are stored in 8 bits
 */
public record AdamWOptions(
    @Setting(value = "Decay of the first moment, below 1", min = 0, max = 1) double beta1,
    @Setting(value = "Decay of the second moment, below 1", min = 0, max = 1) double beta2,
    @Setting(value = "Added to the root of the second moment, above 0", min = 0) double epsilon,
    @Setting(value = "Decoupled weight decay of matrices; vectors never decay", min = 0) double weightDecay,
    @Setting("Store the moments of matrices in 8 bits (blockwise dynamic quantization), where rows are whole blocks of 256; a quarter of their memory")
        boolean eightBitState) {
  public AdamWOptions() {
    this(0.9, 0.95, 1e-8, 0.1);
  }

  /** With moments in FP32. */
  public AdamWOptions(double beta1, double beta2, double epsilon, double weightDecay) {
    this(beta1, beta2, epsilon, weightDecay, false);
  }
}
