package io.hirundo.trainer.internal.run;

import io.hirundo.data.SampleSet;
import io.hirundo.device.MemoryCategory;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.run.AccountedLedger.Work;
import java.util.Arrays;
import java.util.Map;

/** The first steps of a run and one validation, on tokens that are all zero: every allocation and kernel that a run makes. */
public final class DryRun {
  /** The second step finds the memory as every later one does. */
  private static final int STEPS = 2;

  /**
   * What the ledger held.
   *
   * @param parameters of the model
   * @param tokensPerStep of the global batch
   * @param modelFlopsPerStep recomputation and elementwise work left out
   * @param peakBytes highest memory in use, by category, each at its own time
   * @param peakTotalBytes highest sum at one time
   * @param workPerStep by kernel, where the device counts
   */
  public record Counted(
      long parameters,
      long tokensPerStep,
      double modelFlopsPerStep,
      Map<MemoryCategory, Long> peakBytes,
      long peakTotalBytes,
      Map<String, Work> workPerStep) {}

  private DryRun() {}

  /** Opens the run's device and model, and closes them. Reads no data. */
  public static Counted of(RunConfiguration configuration, Strategies strategies) {
    var ledger = new AccountedLedger(Long.MAX_VALUE);
    var training = configuration.training();
    try (RankModel model =
            RankModel.open(strategies.compute(), strategies.model().architecture(), configuration.mesh().mesh(), ledger);
        var update = new RankUpdate(model, strategies.step().optimizer(), training.clipNorm())) {
      new ModelWeights(model).initialize(configuration.seed());
      var steps = new StepRunner(model, update, strategies.step().schedule(), training);
      SampleSet zeros = new Zeros();
      var reader = new BatchReader(zeros, training.sequenceTokens(), model.spec().vocabulary());
      for (int step = 1; step <= STEPS; step++) {
        ledger.clearWork();
        steps.step(reader.read(SampleSet.Split.TRAINING, 0, training.globalBatch()), step, 0);
      }
      var workPerStep = ledger.work();
      new Evaluator(
              model, zeros, training.sequenceTokens(), configuration.evaluation().samples(), training.microBatch())
          .evaluate();
      return new Counted(
          model.parameterCount(),
          (long) training.globalBatch() * training.sequenceTokens(),
          FlopCount.ofStep(model.spec(), training.globalBatch(), training.sequenceTokens()),
          ledger.peakBytes(),
          ledger.peakTotalBytes(),
          workPerStep);
    }
  }

  private static final class Zeros implements SampleSet {
    @Override
    public long count(Split split) {
      return Long.MAX_VALUE;
    }

    @Override
    public void read(Split split, long index, int[] into) {
      Arrays.fill(into, 0);
    }

    @Override
    public int vocabularyBound() {
      return 0;
    }

    @Override
    public String describe() {
      return "zeros";
    }

    @Override
    public void close() {}
  }
}
