package io.hirundo.lib.run.strategy;

import io.hirundo.lib.engine.strategy.Strategies;
import java.util.Set;

/**
 * What differs between two sets of strategies, as far as a running training can switch.
 *
 * @param precision of the GEMMs
 * @param layout other strategies that blocks are built with: schedule, tensor and context parallelism
 * @param dataParallel how parameters are sharded and gathered
 * @param optimizer the update rule
 * @param data training or validation data
 * @param checkpoint how state is saved
 * @param store for remote copies
 */
public record StrategyDifference(
        boolean precision,
        boolean layout,
        boolean dataParallel,
        boolean optimizer,
        boolean data,
        boolean checkpoint,
        boolean store) {
    /** {@code sameLook}: whether both evaluate the same number of samples. */
    public static StrategyDifference between(Strategies present, Strategies next, boolean sameLook) {
        var was = present.parallel();
        var is = next.parallel();
        return new StrategyDifference(
                present.compute().precision() != next.compute().precision(),
                was.schedule() != is.schedule() || was.tensor() != is.tensor() || was.context() != is.context(),
                was.data() != is.data(),
                present.step().optimizer() != next.step().optimizer(),
                !sameLook
                        || present.data().source() != next.data().source()
                        || !present.data().watched().equals(next.data().watched()),
                !present.outcome().checkpoint().equals(next.outcome().checkpoint()),
                !present.outcome().store().equals(next.outcome().store()));
    }

    /** Whether blocks must be rebuilt. */
    public boolean blocks() {
        return precision || layout;
    }

    /** The difference if the strategies at these paths of the configuration are gone. */
    public static StrategyDifference of(Set<String> paths) {
        return new StrategyDifference(
                paths.contains("precision"),
                paths.stream().anyMatch(path -> path.startsWith("mesh.")),
                // Parameters stay as they are sharded until a request moves them.
                false,
                paths.contains("optimizer"),
                paths.stream().anyMatch(path -> path.startsWith("data.") || path.startsWith("evaluation.")),
                paths.contains("checkpoint.strategy"),
                paths.contains("checkpoint.store"));
    }
}
