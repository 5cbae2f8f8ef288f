package io.hirundo.trainer.internal.session;

import io.hirundo.checkpoint.StateShard;
import io.hirundo.lib.engine.conversion.ConvertedForms;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.step.OptimizerState;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The training state of a rank as checkpoints save and load it. Confined to the rank's thread. */
public final class RankState {
    private final RankModel model;
    private final OptimizerState optimizer;

    RankState(RankModel model, OptimizerState optimizer) {
        this.model = model;
        this.optimizer = optimizer;
    }

    /** All tensors that this rank owns. */
    public List<StateShard> shards() {
        var shards = new ArrayList<>(new ModelWeights(model).stateShards(optimizer.state()));
        shards.addAll(model.memory());
        return shards;
    }

    /**
     * The optimizer state of this rank that a checkpoint has in another form.
     *
     * @param saved keys of the checkpoint's tensors
     */
    public ConvertedForms convertedForms(Optimizer strategy, Set<String> saved) {
        return ConvertedForms.of(strategy, model.sharded().owned(), saved);
    }

    /** Of the gradients of what this rank owns: memory that is free until the first step. */
    public long ownedGradientBytes() {
        long elements = model.sharded().owned().stream()
                .mapToLong(run -> run.value().elements())
                .sum();
        return elements * Parameter.updateType(model.parameterType()).byteSize();
    }

    /** The optimizer state of this rank; lent. */
    public List<State> optimizerState() {
        return optimizer.state();
    }

    /**
     * Names of optimizer state that cannot begin at zero next to state of many steps, and that a checkpoint lacks for a parameter of this rank.
     *
     * @param missing keys of tensors
     */
    public Set<String> thatMustNotBeMissing(Optimizer strategy, List<String> missing) {
        var lacking = Set.copyOf(missing);
        return optimizer.countingSteps(strategy).stream()
                .filter(state -> ModelWeights.keys(state).anyMatch(lacking::contains))
                .map(State::name)
                .collect(Collectors.toSet());
    }

    /** Sets all optimizer state to zero, and counts its steps from 1 after so many steps of the run. */
    public void restartOptimizer(long stepsDone) {
        optimizer.restart(stepsDone);
    }

    /** Sets the steps of the run before the first one that the optimizer counts, when its state is loaded. */
    public void optimizerBegan(long steps) {
        optimizer.began(steps);
    }
}
