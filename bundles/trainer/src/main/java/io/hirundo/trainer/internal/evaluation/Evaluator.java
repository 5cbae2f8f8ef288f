package io.hirundo.trainer.internal.evaluation;

import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import io.hirundo.device.MemoryCategory;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.model.Recompute;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.data.BatchReader;
import io.hirundo.trainer.internal.data.DeviceBatch;
import io.hirundo.trainer.internal.data.HostBatch;
import io.hirundo.trainer.internal.model.RankModel;
import io.hirundo.trainer.internal.rank.MicrobatchContext;
import io.hirundo.trainer.internal.rank.SampleShard;
import io.hirundo.trainer.internal.tensors.HostCopies;
import java.util.ArrayList;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The mean loss over the first validation samples of a data source: the same ones each time, so that losses compare. */
public final class Evaluator {
  /**
   * What an evaluation found, the same on every rank.
   *
   * @param loss mean in nats
   * @param tokens predictions made that count
   */
  public record Result(double loss, long tokens) {}

  private final RankModel model;
  private final BatchReader reader;
  private final int sequenceTokens;
  private final long samples;
  private final SampleShard share;
  private final boolean countsAll;

  /** Looks at {@code samples} validation samples, or at all where there are fewer. */
  public Evaluator(RankModel model, SampleSet set, int sequenceTokens, long samples, int microBatch) {
    this.model = model;
    this.reader = new BatchReader(set, sequenceTokens, model.spec().vocabulary());
    this.sequenceTokens = sequenceTokens;
    this.samples = Math.min(samples, set.count(Split.VALIDATION));
    this.share = SampleShard.of(model.rank(), microBatch);
    this.countsAll = !set.documents().maskEnd();
  }

  /** Whether there is anything to look at. */
  public boolean isPossible() {
    return samples > 0;
  }

  public Result evaluate() {
    return evaluate(() -> false).orElseThrow();
  }

  /**
   * Nothing, when {@code stop} says so on any rank before the last sample: a mean over fewer would not compare with the
   * others.
   */
  public Optional<Result> evaluate(BooleanSupplier stop) {
    try (Tensor totals2 = model.device().allocate(MemoryCategory.WORKSPACE, Shape.of(2), DType.FP64)) {
      elementwise().fill(model.queue(), model.lossSum(), 0);
      long seen = 0;
      long counted = 0;
      while (seen < samples) {
        if (agreed(totals2, stop.getAsBoolean())) {
          return Optional.empty();
        }
        long count = Math.min(share.together(), samples - seen);
        HostBatch batch = reader.read(Split.VALIDATION, share.of(seen, count));
        addLoss(filledUp(batch), batch.rows().size());
        seen += count;
        counted += countsAll ? 0 : batch.counted();
      }
      // Of samples without any label that counts the loss is 0, not 0 / 0.
      long tokens = countsAll ? seen * sequenceTokens : Math.max(1, model.rank().sum(counted, Axis.DATA));
      return Optional.of(new Result(total(totals2) / tokens, tokens));
    }
  }

  /** Data ranks do the same work, or one would wait for another's weights: who has fewer samples adds some that do not count. */
  private HostBatch filledUp(HostBatch batch) {
    var filled = new ArrayList<>(batch.rows());
    while (share.dataRanks() > 1 && filled.size() < share.microBatch()) {
      filled.add(new int[sequenceTokens + 1]);
    }
    return new HostBatch(filled, batch.documents());
  }

  private void addLoss(HostBatch host, int counted) {
    try (var batch = new DeviceBatch(model.device(), model.queue(), host, counted, model.tokenSplit())) {
      model
          .pipeline()
          .evaluate(
              model.messageShape(batch.batch().tokens()),
              new MicrobatchContext(model.rankDevice(), batch.batch(), Recompute.NONE, model.lossSum(), 1));
    }
  }

  /** Whether any rank wants to stop: all must do the same. */
  private boolean agreed(Tensor totals2, boolean stop) {
    if (model.rank().everyone().size() == 1) {
      return stop;
    }
    Tensor wishes = totals2.rows(1, 1);
    elementwise().fill(model.queue(), wishes, stop ? 1 : 0);
    return sum(wishes) > 0;
  }

  /** Ranks that share every matrix all find the whole loss; it counts once. */
  private double total(Tensor totals2) {
    Tensor loss = totals2.rows(0, 1);
    elementwise().fill(model.queue(), loss, 0);
    if (model.rank().coordinate(Axis.TENSOR) == 0) {
      elementwise().copy(model.queue(), model.lossSum(), loss);
    }
    return sum(loss);
  }

  private double sum(Tensor scalar) {
    ProcessGroup everyone = model.rank().everyone();
    model.queue().await(everyone.allReduce(model.queue(), scalar, Reduction.SUM).event());
    return HostCopies.readScalars(model.device(), model.queue(), scalar)[0];
  }

  private ElementwiseKernels elementwise() {
    return model.device().kernels().elementwise();
  }
}
