package io.hirundo.trainer.internal.pipeline;

import io.hirundo.schedule.Action;
import java.util.List;

/**
 * A piece of a rank's work with its messages.
 *
 * @param action what is done; of a fused backward the first half
 * @param fused whether both halves of the backward are done
 * @param input where the activation or gradient that it works on comes from; null at the ends of the model
 * @param output where what it makes goes; null at the ends of the model, and for weight gradients
 * @param released messages sent earlier, by number, that the peer is known to have read once {@code input} is here
 */
record Task(Action action, boolean fused, Route input, Route output, List<Integer> released) {
  /**
   * One end of a message, or of a hand-over on the same rank.
   *
   * @param peer pipeline rank of the other end; this rank's own for a hand-over
   * @param number of the message among those between the two ranks in this direction; for a sent one, among all that this
   *     rank sends; for a hand-over, unique on the rank
   */
  record Route(int peer, int number) {}

  boolean isForward() {
    return action.kind() == Action.Kind.FORWARD;
  }
}
