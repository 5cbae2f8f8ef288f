package io.hirundo.trainer.internal.generate;

import io.hirundo.ConfigurationException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * How the next token is chosen.
 *
 * @param temperature 0 for the most likely token always
 * @param topP nucleus: only the most likely tokens that together have this probability (Holtzman et al. 2019, arXiv
 *     1904.09751)
 */
public record Sampling(double temperature, double topP) {
  public Sampling {
    // Asked this way round, NaN is refused as well.
    if (!(temperature >= 0)) {
      throw new ConfigurationException("--temperature is " + temperature + ", but must be at least 0");
    }
    if (!(topP > 0 && topP <= 1)) {
      throw new ConfigurationException("--top-p is " + topP + ", but must be above 0 and at most 1");
    }
  }

  /** Chooses from one row of logits; ties go to the lowest id. */
  int choose(float[] logits, RandomGenerator random) {
    if (temperature == 0) {
      return mostLikely(logits);
    }
    double[] weights = weights(logits);
    int[] order = IntStream.range(0, weights.length).boxed()
        .sorted(Comparator.comparingDouble((Integer id) -> -weights[id]))
        .mapToInt(Integer::intValue).toArray();
    double total = Arrays.stream(weights).sum();
    double nucleus = 0;
    int kept = 0;
    while (kept < order.length && nucleus < topP * total) {
      nucleus += weights[order[kept++]];
    }
    double draw = random.nextDouble() * nucleus;
    for (int i = 0; i < kept - 1; i++) {
      draw -= weights[order[i]];
      if (draw < 0) {
        return order[i];
      }
    }
    return order[kept - 1];
  }

  private double[] weights(float[] logits) {
    double maximum = logits[mostLikely(logits)];
    double[] weights = new double[logits.length];
    for (int id = 0; id < logits.length; id++) {
      weights[id] = Math.exp((logits[id] - maximum) / temperature);
    }
    return weights;
  }

  private static int mostLikely(float[] logits) {
    int best = 0;
    for (int id = 1; id < logits.length; id++) {
      if (logits[id] > logits[best]) {
        best = id;
      }
    }
    return best;
  }
}
