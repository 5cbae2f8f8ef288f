package io.hirundo.trainer.internal.session;

import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.lib.engine.model.RankBlocks;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.step.OptimizerState;
import io.hirundo.lib.engine.step.OptimizerStateTransfer;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.Ownership;
import io.hirundo.parallel.ShardedParameters;
import java.util.Optional;
import java.util.function.Function;

/** What a change of strategies has built on a rank, next to what is in use. Either taken or closed. Confined to the rank's thread. */
sealed interface PreparedRank extends AutoCloseable {
    /** Empty where the blocks do not change. */
    Optional<RankBlocks> blocks();

    /**
     * Puts what was built in the place of what is in use.
     *
     * @return what becomes of the optimizer's state, where another optimizer takes over
     */
    Optional<String> take(RankModel model, OptimizerState state, long stepsDone);

    /** Frees what was not taken. */
    @Override
    void close();

    /**
     * Parameters stay as they are sharded.
     *
     * @param opened all that was built
     * @param optimizer empty where it does not change
     * @param dataParallel switches to the next data parallelism, which shards parameters as the current one does
     */
    record OnSameParameters(
            Opened opened,
            Optional<RankBlocks> blocks,
            Optional<OptimizerStateTransfer> optimizer,
            Runnable dataParallel)
            implements PreparedRank {
        @Override
        public Optional<String> take(RankModel model, OptimizerState state, long stepsDone) {
            dataParallel.run();
            blocks.ifPresent(model::replaceBlocks);
            return optimizer.map(next -> state.replace(model.rank(), next, stepsDone));
        }

        @Override
        public void close() {
            opened.close();
        }
    }

    /**
     * Parameters are sharded in another way, so blocks and the optimizer's state are built on these.
     *
     * @param opened all that was built
     * @param ownership what the parameters were sharded for
     * @param optimizer the current optimizer, on the new parameters
     */
    record OnOtherParameters(
            Opened opened,
            ShardedParameters parameters,
            Function<ParameterSpec, Ownership> ownership,
            RankBlocks itsBlocks,
            OptimizerRun optimizer)
            implements PreparedRank {
        @Override
        public Optional<RankBlocks> blocks() {
            return Optional.of(itsBlocks);
        }

        @Override
        public Optional<String> take(RankModel model, OptimizerState state, long stepsDone) {
            state.moveTo(model, optimizer, parameters.owned());
            model.replaceParameters(parameters, itsBlocks, ownership);
            return Optional.empty();
        }

        @Override
        public void close() {
            opened.close();
        }
    }
}
