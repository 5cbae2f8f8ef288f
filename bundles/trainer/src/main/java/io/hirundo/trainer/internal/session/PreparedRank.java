package io.hirundo.trainer.internal.session;

import io.hirundo.ConfigurationException;
import io.hirundo.mesh.Axis;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.Ownership;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.layout.StageRequest;
import io.hirundo.trainer.internal.lifecycle.Opened;
import io.hirundo.trainer.internal.model.RankBlocks;
import io.hirundo.trainer.internal.model.RankModel;
import io.hirundo.trainer.internal.step.DeclaredState;
import io.hirundo.trainer.internal.step.OptimizerState;
import io.hirundo.trainer.internal.step.OptimizerStateTransfer;
import io.hirundo.trainer.internal.step.OwnershipCheck;
import io.hirundo.trainer.internal.strategy.Strategies;
import io.hirundo.trainer.internal.strategy.StrategyDifference;
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
      RankModel model, OptimizerState state, Optimizer current, RunConfiguration next, Strategies strategies, StrategyDifference changes) {
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
      RankModel model, OptimizerState state, Optimizer current, RunConfiguration next, Strategies strategies, StrategyDifference changes) {
    if (changes.blocks()) {
      blocks =
          opened.add(
              model.otherBlocks(
                  strategies.compute().precision(),
                  strategies.parallel(),
                  strategies.model().architecture(),
                  StageRequest.of(next)),
              RankBlocks::close);
      if (!changes.precision()) {
        blocks.memory().takeOver(model.memory());
      }
    }
    if (changes.precision()) {
      blocks.layers().rehearse(model.queue(), model.sharded().keepsWeights());
    }
    // In addition to what the layers keep: the parity check and the steps take it without a way back.
    if (changes.precision()) {
      int ranks = model.rank().along(Axis.CONTEXT, Axis.DATA).size();
      new WeightMemoryCheck(next.mesh().dataParallel(), strategies.parallel().data().shardSize(ranks)).require(model.sharded(), blocks.layers());
    } else if (changes.blocks()) {
      model.sharded().rehearse(blocks.layers().weightTypes(), blocks.layers().codings());
    }
    if (changes.dataParallel()) {
      Optional<Runnable> inPlace = strategies.parallel().data().takeOver(model.sharded());
      if (inPlace.isPresent()) {
        dataParallel = inPlace.get();
      } else {
        reshard(model, state, next, strategies, changes);
      }
    }
    if (changes.optimizer()) {
      OwnershipCheck.require(model, current, strategies.step().optimizer());
      optimizer = opened.add(state.other(strategies.step().optimizer()), OptimizerStateTransfer::close);
    }
  }

  /** The parity check cannot compare other blocks on other parameters, so nothing else may change. */
  private void reshard(
      RankModel model, OptimizerState state, RunConfiguration next, Strategies strategies, StrategyDifference changes) {
    if (changes.blocks() || changes.optimizer()) {
      throw new ConfigurationException(
          "mesh.dataParallel: it shards weights in another way, which must be a change of its own; change the other settings first");
    }
    if (model.blocks() == null) {
      throw new ConfigurationException("mesh.dataParallel: the run has no precision to compute with; change precision first");
    }
    state.requireMovable(model.sharded());
    ownership = strategies.step().optimizer()::ownership;
    sharded = opened.add(model.otherSharding(strategies.parallel().data(), ownership), ShardedParameters::close);
    blocks =
        opened.add(
            model.otherBlocks(
                strategies.compute().precision(), strategies.parallel(), strategies.model().architecture(), StageRequest.of(next), sharded),
            RankBlocks::close);
    blocks.layers().rehearse(model.queue(), sharded.keepsWeights());
    blocks.memory().takeOver(model.memory());
    movedOptimizer =
        opened.add(
            DeclaredState.bind(strategies.step().optimizer(), model.device(), sharded.owned()), OptimizerRun::close);
    // While all of both is there, as when weights and state move.
    model.sharded().rehearseGatherOwned(model.parameterType());
    model.sharded().rehearseGatherOwned(state.widestType(model, strategies.step().optimizer()));
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
