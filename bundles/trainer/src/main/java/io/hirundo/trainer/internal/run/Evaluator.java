package io.hirundo.trainer.internal.run;

import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.model.Recompute;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The mean loss over the first validation samples of a data source: the same ones each time, so that losses compare. */
public final class Evaluator {
  /**
   * What an evaluation found.
   *
   * @param loss mean in nats
   * @param tokens predictions made
   */
  public record Result(double loss, long tokens) {}

  private final RankModel model;
  private final BatchReader reader;
  private final long samples;
  private final int microBatch;

  /** Looks at {@code samples} validation samples, or at all where there are fewer. */
  public Evaluator(RankModel model, SampleSet set, int sequenceTokens, long samples, int microBatch) {
    this.model = model;
    this.reader = new BatchReader(set, sequenceTokens, model.spec().vocabulary());
    this.samples = Math.min(samples, set.count(Split.VALIDATION));
    this.microBatch = microBatch;
  }

  /** Whether there is anything to look at. */
  public boolean isPossible() {
    return samples > 0;
  }

  public Result evaluate() {
    return evaluate(() -> false).orElseThrow();
  }

  /** Nothing, when {@code stop} says so before the last sample: a mean over fewer would not compare with the others. */
  public Optional<Result> evaluate(BooleanSupplier stop) {
    double lossSum = 0;
    long tokens = 0;
    for (long first = 0; first < samples; first += microBatch) {
      if (stop.getAsBoolean()) {
        return Optional.empty();
      }
      HostBatch batch = reader.read(Split.VALIDATION, first, (int) Math.min(microBatch, samples - first));
      lossSum += lossSum(batch.rows());
      tokens += batch.labels();
    }
    return Optional.of(new Result(lossSum / tokens, tokens));
  }

  private double lossSum(List<int[]> rows) {
    var device = model.device();
    device.kernels().elementwise().fill(model.queue(), model.lossSum(), 0);
    try (var batch = new DeviceBatch(device, model.queue(), rows)) {
      model.stage().evaluate(
          new RunStepContext(model.rankDevice(), batch.batch(), Recompute.NONE, model.lossSum(), 1));
    }
    return HostCopies.readScalar(device, model.queue(), model.lossSum());
  }
}
