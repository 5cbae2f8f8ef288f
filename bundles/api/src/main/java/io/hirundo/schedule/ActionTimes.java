package io.hirundo.schedule;

/**
 * How long the actions of one stage take, in any unit.
 *
 * @param forward above 0
 * @param backwardInput above 0
 * @param backwardWeight above 0
 * @param transfer from the end of an action until its result is on another rank, which computes meanwhile; 0 or more
 */
public record ActionTimes(double forward, double backwardInput, double backwardWeight, double transfer) {
  /** One each, and transfers in no time: what the theory of schedules is written for. */
  public static final ActionTimes EQUAL = new ActionTimes(1, 1, 1, 0);

  public ActionTimes {
    if (!(forward > 0 && backwardInput > 0 && backwardWeight > 0 && transfer >= 0)
        || Double.isInfinite(forward + backwardInput + backwardWeight + transfer)) {
      throw new IllegalArgumentException(
          "an action takes time, not " + forward + ", " + backwardInput + " and " + backwardWeight + ", a transfer none or some, not " + transfer);
    }
  }

  /** Of an action of a kind. */
  public double of(Action.Kind kind) {
    return switch (kind) {
      case FORWARD -> forward;
      case BACKWARD_INPUT -> backwardInput;
      case BACKWARD_WEIGHT -> backwardWeight;
    };
  }
}
