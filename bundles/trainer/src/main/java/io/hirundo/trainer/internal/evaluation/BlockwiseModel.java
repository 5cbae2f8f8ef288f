package io.hirundo.trainer.internal.evaluation;

import io.hirundo.model.Architecture;
import io.hirundo.model.Block;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.Recompute;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.data.DeviceBatch;
import io.hirundo.trainer.internal.data.HostBatch;
import io.hirundo.trainer.internal.layout.TokenSplit;
import io.hirundo.trainer.internal.model.RankModel;
import io.hirundo.trainer.internal.rank.MicrobatchContext;
import io.hirundo.trainer.internal.rank.Rank;
import io.hirundo.trainer.internal.strategy.ForwardingPrecision;
import io.hirundo.trainer.internal.strategy.Strategies;
import io.hirundo.trainer.internal.tensors.HostCopies;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A model that answers with one block in memory at a time: it is built, gets its weights, works on all sequences, and goes.
 *
 * @param rank a world of its own
 * @param load gives a part of the model its weights
 */
public record BlockwiseModel(
    Rank rank,
    Strategies.Compute compute,
    Strategies.Parallel parallel,
    Architecture architecture,
    Consumer<RankModel> load) {

  /** Of each sequence the mean loss in nats, as a whole model finds it; {@code rows} have T + 1 tokens each. */
  double[] losses(List<int[]> rows) {
    ModelSpec spec = architecture.describe();
    var placed = new Strategies.Compute(compute.backend(), new Placed(compute.precision().forModel(spec)));
    var states = new ArrayList<Tensor>();
    rows.forEach(row -> states.add(null));
    double[] losses = new double[rows.size()];
    try {
      for (BlockSpec block : spec.blocks()) {
        try (RankModel alone = RankModel.open(rank, placed, parallel, new OneBlock(architecture, block), List.of())) {
          load.accept(alone);
          alone.weightsChanged();
          for (int index = 0; index < losses.length; index++) {
            losses[index] = step(alone, rows.get(index), index, states);
          }
        }
      }
    } finally {
      states.stream().filter(state -> state != null).forEach(Tensor::close);
    }
    return losses;
  }

  /** Replaces a sequence's state; the sum of its tokens' losses is there after the last block. */
  private double step(RankModel block, int[] row, int index, List<Tensor> states) {
    try (var batch = new DeviceBatch(rank.device(), rank.queue(), new HostBatch(List.of(row)), TokenSplit.WHOLE)) {
      rank.device().kernels().elementwise().fill(rank.queue(), block.lossSum(), 0);
      var context = new MicrobatchContext(block.rankDevice(), batch.batch(), Recompute.NONE, block.lossSum(), 1);
      // The block takes its input over.
      Tensor input = states.set(index, null);
      states.set(index, block.blocks().whole().evaluate(context, input));
      return HostCopies.readScalars(rank.device(), rank.queue(), block.lossSum())[0] / (row.length - 1);
    }
  }

  /** One of a model's blocks, as if it were the model. */
  private record OneBlock(Architecture architecture, BlockSpec block) implements Architecture {
    @Override
    public ModelSpec describe() {
      ModelSpec whole = architecture.describe();
      return new ModelSpec(whole.vocabulary(), whole.hidden(), whole.maximumSequenceTokens(), List.of(block));
    }

    @Override
    public Block build(BlockSpec spec, LayerFactory layers) {
      return architecture.build(spec, layers);
    }
  }

  /** A precision that knows the whole model, and is not to take one block for it. */
  private static final class Placed extends ForwardingPrecision {
    Placed(PrecisionStrategy precision) {
      super(precision);
    }

    @Override
    public PrecisionStrategy forModel(ModelSpec model) {
      return this;
    }
  }
}
