package io.hirundo.parallelpp.internal;

import io.hirundo.schedule.Action;
import java.util.ArrayList;
import java.util.List;

/**
 * A rank's actions as they are put one behind another. Where no microbatch is named it is the next one: that of the first
 * such action of a chunk is 0, that of the second 1.
 */
final class Actions {
  private final List<Action> actions = new ArrayList<>();
  private final int[][] counts;

  Actions(int chunks) {
    counts = new int[Action.Kind.values().length][chunks];
  }

  /** How many actions of a kind there are so far. */
  int count(Action.Kind kind, int chunk) {
    return counts[kind.ordinal()][chunk];
  }

  void add(Action.Kind kind, int microbatch, int chunk) {
    actions.add(new Action(kind, microbatch, chunk));
    counts[kind.ordinal()][chunk]++;
  }

  void forward(int chunk) {
    add(Action.Kind.FORWARD, count(Action.Kind.FORWARD, chunk), chunk);
  }

  void backwardInput(int chunk) {
    add(Action.Kind.BACKWARD_INPUT, count(Action.Kind.BACKWARD_INPUT, chunk), chunk);
  }

  void backwardWeight(int chunk) {
    add(Action.Kind.BACKWARD_WEIGHT, count(Action.Kind.BACKWARD_WEIGHT, chunk), chunk);
  }

  /** Both halves in a row, so that what lies between them lives as short as possible. */
  void backward(int microbatch, int chunk) {
    add(Action.Kind.BACKWARD_INPUT, microbatch, chunk);
    add(Action.Kind.BACKWARD_WEIGHT, microbatch, chunk);
  }

  /** Both halves of the next microbatch. */
  void backward(int chunk) {
    backwardInput(chunk);
    backwardWeight(chunk);
  }

  /** All of them. */
  List<Action> list() {
    return List.copyOf(actions);
  }
}
