package io.hirundo.parallelpp.internal;

import io.hirundo.schedule.Action;
import java.util.List;

/** Actions of the only chunk. */
final class Actions {
  private Actions() {}

  static Action forward(int microbatch) {
    return new Action(Action.Kind.FORWARD, microbatch, 0);
  }

  /** Both halves in a row, so that the gradients between them live as short as possible. */
  static void addBackward(List<Action> actions, int microbatch) {
    actions.add(new Action(Action.Kind.BACKWARD_INPUT, microbatch, 0));
    actions.add(new Action(Action.Kind.BACKWARD_WEIGHT, microbatch, 0));
  }
}
