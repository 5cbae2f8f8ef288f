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
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.Ownership;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardedParameters;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** What a change of strategies builds on a rank, next to what is in use. Either taken or closed. Confined to the rank's thread. */
final class PreparedRank implements AutoCloseable {
    private final Opened opened = new Opened();
    /** Null where these do not change. */
    private RankBlocks blocks;
    /** Null where it does not change. */
    private OptimizerStateTransfer optimizer;
    /** Switches to the next data parallelism where it shards parameters as the current one does. */
    private Runnable dataParallel = () -> {};
    /** Parameters that are sharded in another way; null where the current ones stay. */
    private ShardedParameters sharded;
    /** What they were sharded for. */
    private Function<ParameterSpec, Ownership> ownership;
    /** The same optimizer on these; null where they are. */
    private OptimizerRun movedOptimizer;

    private PreparedRank() {}

    /**
     * Builds the next strategies without changing the model or its optimizer; throws if they cannot be built.
     *
     * @param current the optimizer whose state this is
     */
    static PreparedRank of(
            RankModel model,
            OptimizerState state,
            Optimizer current,
            RunConfiguration next,
            Strategies strategies,
            StrategyDifference changes) {
        var prepared = new PreparedRank();
        try {
            prepared.build(model, state, current, next, strategies, changes);
            return prepared;
        } catch (RuntimeException | Error failure) {
            prepared.opened.closeAfter(failure);
            throw failure;
        }
    }

    private void build(
            RankModel model,
            OptimizerState state,
            Optimizer current,
            RunConfiguration next,
            Strategies strategies,
            StrategyDifference changes) {
        if (changes.blocks()) {
            blocks = opened.add(
                    model.otherBlocks(
                            strategies.compute().precision(),
                            strategies.parallel(),
                            strategies.model().architecture(),
                            next.stages()),
                    RankBlocks::close);
            if (!changes.affects(RunPart.PRECISION)) {
                blocks.memory().takeOver(model.memory());
            }
        }
        if (changes.affects(RunPart.PRECISION)) {
            blocks.layers().rehearse(model.queue(), model.sharded().keepsWeights());
        }
        if (changes.affects(RunPart.DATA_PARALLEL)) {
            Optional<Runnable> inPlace = strategies.parallel().data().takeOver(model.sharded());
            if (inPlace.isEmpty()) {
                reshard(model, state, next, strategies, changes);
                return;
            }
            dataParallel = inPlace.get();
        }
        if (changes.affects(RunPart.OPTIMIZER)) {
            OwnershipCheck.require(model, current, strategies.step().optimizer());
            optimizer = opened.add(state.other(strategies.step().optimizer()), OptimizerStateTransfer::close);
        }
        if (changes.blocks() || changes.affects(RunPart.DATA_PARALLEL)) {
            requireMemory(model, next, strategies, changes);
        }
    }

    /** In addition to all that was prepared: the parity check and the steps take it without a way back. */
    private void requireMemory(
            RankModel model, RunConfiguration next, Strategies strategies, StrategyDifference changes) {
        RankBlocks nextBlocks = blocks == null ? model.blocksIfPresent().orElse(null) : blocks;
        if (nextBlocks == null) {
            // The run waits for a precision, which is checked when it comes.
            return;
        }
        WeightMemoryCheck check = memoryCheck(model, next, strategies);
        if (changes.affects(RunPart.PRECISION)) {
            check.requireForPrecision(model.sharded(), nextBlocks.layers());
        } else {
            check.require(model.sharded(), nextBlocks.layers(), 0);
        }
    }

    private static WeightMemoryCheck memoryCheck(RankModel model, RunConfiguration next, Strategies strategies) {
        DataParallel data = strategies.parallel().data();
        int ranks = model.rank().along(Axis.CONTEXT, Axis.DATA).size();
        return new WeightMemoryCheck(data, data.shardSize(ranks), next.stages().microbatches());
    }

    /** The parity check cannot compare other blocks on other parameters, so nothing else may change. */
    private void reshard(
            RankModel model,
            OptimizerState state,
            RunConfiguration next,
            Strategies strategies,
            StrategyDifference changes) {
        if (changes.blocks() || changes.affects(RunPart.OPTIMIZER)) {
            throw new ConfigurationException(
                    "mesh.dataParallel: it shards weights in another way, which must be a change of its own; change the other settings first");
        }
        if (model.blocksIfPresent().isEmpty()) {
            throw new ConfigurationException(
                    "mesh.dataParallel: the run has no precision to compute with; change precision first");
        }
        state.requireMovable(model.sharded());
        long heldBytes = replacedBytes(model);
        ownership = strategies.step().optimizer()::ownership;
        sharded = opened.add(model.otherSharding(strategies.parallel().data(), ownership), ShardedParameters::close);
        blocks = opened.add(
                model.otherBlocks(
                        strategies.compute().precision(),
                        strategies.parallel(),
                        strategies.model().architecture(),
                        next.stages(),
                        sharded),
                RankBlocks::close);
        blocks.layers().rehearse(model.queue(), sharded.keepsWeights());
        blocks.memory().takeOver(model.memory());
        movedOptimizer = opened.add(
                DeclaredState.bind(strategies.step().optimizer(), model.device(), sharded.owned()),
                OptimizerRun::close);
        // While all of both is there, as when weights and state move.
        model.sharded().rehearseGatherOwned(model.parameterType());
        model.sharded()
                .rehearseGatherOwned(state.widestType(model, strategies.step().optimizer()));
        memoryCheck(model, next, strategies).require(sharded, blocks.layers(), heldBytes);
    }

    /** What the current parameters, their state and what layers prepared of them hold, which the move to other owners frees. */
    private static long replacedBytes(RankModel model) {
        Map<MemoryCategory, Long> held = model.rank().liveBytes();
        return held.get(MemoryCategory.WEIGHTS)
                + held.get(MemoryCategory.GRADIENTS)
                + held.get(MemoryCategory.OPTIMIZER);
    }

    /** Null where the blocks do not change. */
    RankBlocks blocks() {
        return blocks;
    }

    /**
     * Puts what was built in the place of what is in use.
     *
     * @return what becomes of the optimizer's state, where another optimizer takes over
     */
    Optional<String> take(RankModel model, OptimizerState state, long stepsDone) {
        if (sharded != null) {
            state.moveTo(model, movedOptimizer, sharded.owned());
            model.replaceParameters(sharded, blocks, ownership);
            return Optional.empty();
        }
        dataParallel.run();
        if (blocks != null) {
            model.replaceBlocks(blocks);
        }
        return Optional.ofNullable(optimizer).map(next -> state.replace(model.rank(), next, stepsDone));
    }

    @Override
    public void close() {
        opened.close();
    }
}
