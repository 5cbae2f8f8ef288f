package io.hirundo.mesh.support;

import java.util.List;

/**
 * How messages name a group and what it does.
 *
 * @param name as in {@code along [DATA]}
 * @param ranks of the world, in the order of the group
 */
public record GroupName(String name, List<Integer> ranks) {
  public GroupName {
    ranks = List.copyOf(ranks);
  }

  /** As in {@code along [DATA] (ranks [0, 2])}. */
  public String title() {
    return name + " (ranks " + ranks + ")";
  }

  public String collective(long number) {
    return "number " + number + " " + title();
  }

  /**
   * @param from place of the sender
   * @param to place of the receiver
   */
  public String message(int from, int to, long number) {
    return "number " + number + " from rank " + ranks.get(from) + " to rank " + ranks.get(to) + " " + title();
  }
}
