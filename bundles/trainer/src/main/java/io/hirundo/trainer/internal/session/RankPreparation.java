package io.hirundo.trainer.internal.session;

import io.hirundo.ConfigurationException;
import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.lib.engine.model.RankBlocks;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.step.DeclaredState;
import io.hirundo.lib.engine.step.OptimizerState;
import io.hirundo.lib.engine.step.OptimizerStateTransfer;
import io.hirundo.lib.engine.step.OwnershipCheck;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.change.RunPart;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.strategy.StrategyDifference;
import io.hirundo.mesh.Axis;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardedParameters;
import java.util.Map;
import java.util.Optional;

/** Builds the next strategies on a rank without changing its model or optimizer. */
final class RankPreparation {
    private final Opened opened = new Opened();
    private final RankModel model;
    private final OptimizerState state;
    private final Optimizer current;
    private final RunConfiguration next;
    private final Strategies strategies;
    private final StrategyDifference changes;

    /**
     * {@code current}: the optimizer whose state this is. {@code next}: the configuration, with its strategies and what they change.
     */
    RankPreparation(
            RankModel model,
            OptimizerState state,
            Optimizer current,
            RunConfiguration next,
            Strategies strategies,
            StrategyDifference changes) {
        this.model = model;
        this.state = state;
        this.current = current;
        this.next = next;
        this.strategies = strategies;
        this.changes = changes;
    }

    /** Throws if they cannot be built; then nothing of them is left. */
    PreparedRank build() {
        try {
            if (!changes.affects(RunPart.DATA_PARALLEL)) {
                return onSameParameters(() -> {});
            }
            Optional<Runnable> inPlace = strategies.parallel().data().takeOver(model.sharded());
            return inPlace.isPresent() ? onSameParameters(inPlace.get()) : onOtherParameters();
        } catch (RuntimeException | Error failure) {
            opened.closeAfter(failure);
            throw failure;
        }
    }

    private PreparedRank onSameParameters(Runnable dataParallel) {
        Optional<RankBlocks> blocks = changes.blocks() ? Optional.of(blocks(model.sharded())) : Optional.empty();
        if (changes.affects(RunPart.PRECISION)) {
            blocks.orElseThrow()
                    .layers()
                    .rehearse(model.queue(), model.sharded().keepsWeights());
        } else {
            blocks.ifPresent(built -> built.memory().takeOver(model.memory()));
        }
        Optional<OptimizerStateTransfer> optimizer =
                changes.affects(RunPart.OPTIMIZER) ? Optional.of(otherOptimizer()) : Optional.empty();
        if (changes.blocks() || changes.affects(RunPart.DATA_PARALLEL)) {
            // Without blocks the run waits for a precision, which is checked when it comes.
            blocks.or(model::blocksIfPresent).ifPresent(this::requireMemory);
        }
        return new PreparedRank.OnSameParameters(opened, blocks, optimizer, dataParallel);
    }

    private OptimizerStateTransfer otherOptimizer() {
        OwnershipCheck.require(model, current, strategies.step().optimizer());
        return opened.add(state.other(strategies.step().optimizer()), OptimizerStateTransfer::close);
    }

    private RankBlocks blocks(ShardedParameters parameters) {
        return opened.add(
                model.otherBlocks(
                        strategies.compute().precision(),
                        strategies.parallel(),
                        strategies.model().architecture(),
                        next.stages(),
                        parameters),
                RankBlocks::close);
    }

    /** In addition to all that was prepared: the parity check and the steps take it without a way back. */
    private void requireMemory(RankBlocks nextBlocks) {
        if (changes.affects(RunPart.PRECISION)) {
            memoryCheck().requireForPrecision(model.sharded(), nextBlocks.layers());
        } else {
            memoryCheck().require(model.sharded(), nextBlocks.layers(), 0);
        }
    }

    private WeightMemoryCheck memoryCheck() {
        DataParallel data = strategies.parallel().data();
        int ranks = model.rank().along(Axis.CONTEXT, Axis.DATA).size();
        return new WeightMemoryCheck(data, data.shardSize(ranks), next.stages().microbatches());
    }

    /** The parity check cannot compare other blocks on other parameters, so nothing else may change. */
    private PreparedRank onOtherParameters() {
        if (changes.blocks() || changes.affects(RunPart.OPTIMIZER)) {
            throw new ConfigurationException(
                    "mesh.dataParallel: it shards weights in another way, which must be a change of its own; change the other settings first");
        }
        if (model.blocksIfPresent().isEmpty()) {
            throw new ConfigurationException(
                    "mesh.dataParallel: the run has no precision to compute with; change precision first");
        }
        Optimizer optimizer = strategies.step().optimizer();
        state.requireMovable(model.sharded());
        long heldBytes = replacedBytes(model);
        ShardedParameters sharded = opened.add(
                model.otherSharding(strategies.parallel().data(), optimizer::ownership), ShardedParameters::close);
        RankBlocks blocks = blocks(sharded);
        blocks.layers().rehearse(model.queue(), sharded.keepsWeights());
        blocks.memory().takeOver(model.memory());
        OptimizerRun moved =
                opened.add(DeclaredState.bind(optimizer, model.device(), sharded.owned()), OptimizerRun::close);
        // While all of both is there, as when weights and state move.
        model.sharded().rehearseGatherOwned(model.parameterType());
        model.sharded().rehearseGatherOwned(state.widestType(model, optimizer));
        memoryCheck().require(sharded, blocks.layers(), heldBytes);
        return new PreparedRank.OnOtherParameters(opened, sharded, optimizer::ownership, blocks, moved);
    }

    /** What the current parameters, their state and what layers prepared of them hold, which the move to other owners frees. */
    private static long replacedBytes(RankModel model) {
        Map<MemoryCategory, Long> held = model.rank().liveBytes();
        return held.get(MemoryCategory.WEIGHTS)
                + held.get(MemoryCategory.GRADIENTS)
                + held.get(MemoryCategory.OPTIMIZER);
    }
}
