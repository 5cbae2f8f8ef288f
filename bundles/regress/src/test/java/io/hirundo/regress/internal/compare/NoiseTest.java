package io.hirundo.regress.internal.compare;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NoiseTest {
  /** For every precision and any reduction length. */
  @ParameterizedTest
  @ValueSource(strings = {"fp64", "fp32", "bf16", "fp8-blockwise", "fp8-delayed", "acme"})
  void detectsAGradientThatIsOnePercentTooLarge(String precision) {
    for (long reduction : new long[] {1, 512, 15_326, 1L << 40}) {
      assertTrue(2 * Noise.of(precision, reduction).ofScale(1) <= 0.01, precision + " " + reduction);
    }
  }
}
