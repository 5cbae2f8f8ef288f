package io.hirundo.trainer.internal.strategy;

import java.util.Set;

/**
 * What differs between two sets of strategies, as far as a run can go on with the other.
 *
 * @param precision what computes the products
 * @param layout what the blocks are built with besides: schedule, tensor and context parallelism
 * @param dataParallel how parameters are moved
 * @param optimizer the update rule
 * @param data what is learned from, or looked at
 * @param checkpoint how state is saved
 * @param store where it is copied to
 */
public record StrategyDifference(
    boolean precision,
    boolean layout,
    boolean dataParallel,
    boolean optimizer,
    boolean data,
    boolean checkpoint,
    boolean store) {
  /** {@code sameLook}: whether as many samples are looked at. */
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

  /** Whether blocks are built anew. */
  public boolean blocks() {
    return precision || layout;
  }

  /** What the strategies at these paths of the configuration have made. */
  public static StrategyDifference of(Set<String> paths) {
    return new StrategyDifference(
        paths.contains("precision"),
        paths.stream().anyMatch(path -> path.startsWith("mesh.")),
        // Held to the end of the run.
        false,
        paths.contains("optimizer"),
        paths.stream().anyMatch(path -> path.startsWith("data.") || path.startsWith("evaluation.")),
        paths.contains("checkpoint.strategy"),
        paths.contains("checkpoint.store"));
  }
}
