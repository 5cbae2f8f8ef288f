package io.hirundo.schedule;

/**
 * Durations of one stage's actions, in any unit.
 *
 * @param forward above 0
 * @param backwardInput above 0
 * @param backwardWeight above 0
 * @param transfer latency of a result to another rank, during which the sender computes; 0 or more
 */
public record ActionTimes(double forward, double backwardInput, double backwardWeight, double transfer) {
    /** Unit times and free transfers, as papers on schedules assume. */
    public static final ActionTimes EQUAL = new ActionTimes(1, 1, 1, 0);

    public ActionTimes {
        if (!(forward > 0 && backwardInput > 0 && backwardWeight > 0 && transfer >= 0)
                || Double.isInfinite(forward + backwardInput + backwardWeight + transfer)) {
            throw new IllegalArgumentException("action times: forward " + forward + ", backward-input " + backwardInput
                    + ", backward-weight " + backwardWeight + ", transfer " + transfer
                    + " are wrong (allowed: above 0; transfer 0 or more)");
        }
    }

    /** Duration of an action of this kind. */
    public double of(Action.Kind kind) {
        return switch (kind) {
            case FORWARD -> forward;
            case BACKWARD_INPUT -> backwardInput;
            case BACKWARD_WEIGHT -> backwardWeight;
        };
    }
}
