package io.hirundo.lib.inference.evaluation;

import io.hirundo.lib.engine.data.DeviceBatch;
import io.hirundo.lib.engine.data.HostBatch;
import io.hirundo.lib.engine.layout.StageRequest;
import io.hirundo.lib.engine.layout.TokenSplit;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.MicrobatchContext;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.engine.strategy.ForwardingPrecision;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.engine.tensors.HostCopies;
import io.hirundo.model.Architecture;
import io.hirundo.model.Block;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.layer.Recompute;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Evaluates a model with one block in memory at a time: builds a block, loads its weights, runs all sequences through it and frees it.
 *
 * @param rank a rank of a world of size 1
 * @param load loads the weights of the given part of the model
 */
public record BlockwiseModel(
        Rank rank,
        Strategies.Compute compute,
        Strategies.Parallel parallel,
        Architecture architecture,
        Consumer<RankModel> load) {

    /** The mean loss of each sequence in nats, equal to that of the full model. {@code rows} have T + 1 tokens each. */
    double[] losses(List<int[]> rows) {
        ModelSpec spec = architecture.describe();
        var prepared = compute.with(new FullModelPrecision(compute.precision().forModel(spec)));
        var states = new ArrayList<Tensor>();
        rows.forEach(row -> states.add(null));
        double[] losses = new double[rows.size()];
        try {
            for (BlockSpec block : spec.blocks()) {
                try (RankModel alone = RankModel.open(
                        rank, prepared, parallel, new OneBlock(architecture, block), StageRequest.ONE_STAGE)) {
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

    /**
     * Runs one sequence through a block and replaces its hidden state in {@code states}. Returns the mean loss, which is valid after the last
     * block.
     */
    private double step(RankModel block, int[] row, int index, List<Tensor> states) {
        try (var batch = new DeviceBatch(rank.device(), rank.queue(), new HostBatch(List.of(row)), TokenSplit.WHOLE)) {
            rank.device().kernels().elementwise().fill(rank.queue(), block.lossSum(), 0);
            var context = new MicrobatchContext(block.rankDevice(), batch.batch(), Recompute.NONE, block.lossSum(), 1);
            // The block owns and closes its input.
            Tensor input = states.set(index, null);
            states.set(index, block.blocks().whole().evaluate(context, input));
            return HostCopies.readScalars(rank.device(), rank.queue(), block.lossSum())[0] / (row.length - 1);
        }
    }

    /** An architecture of a single block of the model. */
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

    /** A precision that is already prepared for the full model, and must not be prepared again for a single block. */
    private static final class FullModelPrecision extends ForwardingPrecision {
        FullModelPrecision(PrecisionStrategy precision) {
            super(precision);
        }

        @Override
        public PrecisionStrategy forModel(ModelSpec model) {
            return this;
        }
    }
}
