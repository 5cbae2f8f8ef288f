package io.hirundo.trainer.internal.generate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SamplingTest {
  private static final float[] LOGITS = {(float) Math.log(0.5), (float) Math.log(0.3), (float) Math.log(0.15), (float) Math.log(0.05)};

  @Test
  void withoutTemperatureTheMostLikelyAndTheLowestOfEquals() {
    var greedy = new Sampling(0, 1);
    assertEquals(0, greedy.choose(LOGITS, new SplittableRandom(1)));
    assertEquals(1, greedy.choose(new float[] {1, 2, 2}, new SplittableRandom(1)));
  }

  @Test
  void frequenciesFollowTheProbabilities() {
    double[] frequencies = frequencies(new Sampling(1, 1));
    assertEquals(0.5, frequencies[0], 0.01);
    assertEquals(0.3, frequencies[1], 0.01);
    assertEquals(0.05, frequencies[3], 0.01);
  }

  @Test
  void theNucleusLeavesOutTheUnlikely() {
    // 0.5 + 0.3 reaches 0.7: the first two remain, in proportion.
    double[] frequencies = frequencies(new Sampling(1, 0.7));
    assertEquals(0.625, frequencies[0], 0.01);
    assertEquals(0, frequencies[2]);
  }

  @Test
  void aLowTemperatureSharpens() {
    assertEquals(0.25 / (0.25 + 0.09 + 0.0225 + 0.0025), frequencies(new Sampling(0.5, 1))[0], 0.01);
  }

  @Test
  void impossibleSettingsAreRefused() {
    assertThrows(ConfigurationException.class, () -> new Sampling(-1, 1));
    assertThrows(ConfigurationException.class, () -> new Sampling(1, 0));
    assertThrows(ConfigurationException.class, () -> new Sampling(1, 1.1));
  }

  private static double[] frequencies(Sampling sampling) {
    var random = new SplittableRandom(5);
    double[] counts = new double[LOGITS.length];
    int draws = 50_000;
    for (int i = 0; i < draws; i++) {
      counts[sampling.choose(LOGITS, random)] += 1.0 / draws;
    }
    return counts;
  }
}
