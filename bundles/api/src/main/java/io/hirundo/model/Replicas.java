package io.hirundo.model;

import java.util.List;

/**
 * The ranks that hold the same piece of a tensor and keep it the same. The first of them stands for all where each element
 * counts once: in the gradient norm, in a checkpoint.
 *
 * @param ranks of the world, this one among them; empty for a piece that is held once
 * @param index this rank's place among them
 * @param partialGradients whether each rank finds a part of the gradient only, so that the parts must be added up; otherwise
 *     all find the same one
 */
public record Replicas(List<Integer> ranks, int index, boolean partialGradients) {
  /** Held once. */
  public static final Replicas NONE = new Replicas(List.of(), 0, false);

  public Replicas {
    ranks = List.copyOf(ranks);
  }

  /** Whether this rank stands for all. */
  public boolean isFirst() {
    return index == 0;
  }
}
