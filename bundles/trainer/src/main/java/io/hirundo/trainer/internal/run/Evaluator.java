package io.hirundo.trainer.internal.run;

import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;

/** The mean loss over the first validation samples of a data source: the same ones each time, so that losses compare. */
final class Evaluator {
  /**
   * What an evaluation found.
   *
   * @param loss mean in nats
   * @param tokens looked at
   */
  record Result(double loss, long tokens) {}

  private final StepRunner steps;
  private final BatchReader reader;
  private final long samples;
  private final int microBatch;

  Evaluator(StepRunner steps, SampleSet set, BatchReader reader, long samples, int microBatch) {
    this.steps = steps;
    this.reader = reader;
    this.samples = Math.min(samples, set.count(Split.VALIDATION));
    this.microBatch = microBatch;
  }

  /** Whether there is anything to look at. */
  boolean isPossible() {
    return samples > 0;
  }

  Result evaluate() {
    double lossSum = 0;
    long tokens = 0;
    for (long first = 0; first < samples; first += microBatch) {
      HostBatch batch = reader.read(Split.VALIDATION, first, (int) Math.min(microBatch, samples - first));
      lossSum += steps.evaluate(batch.rows());
      tokens += batch.labels();
    }
    return new Result(lossSum / tokens, tokens);
  }
}
