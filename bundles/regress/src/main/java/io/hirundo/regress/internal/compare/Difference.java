package io.hirundo.regress.internal.compare;

/**
 * A difference between two results.
 *
 * @param step step of the difference
 * @param kind what differs
 * @param tensor published name; empty for figures of the model
 * @param relative relative difference: of a figure, or for tensors the norm of the difference divided by the norm
 * @param scale relative change of the tensor's norm; 0 for figures
 * @param timesNoise the difference divided by the rounding noise; above 1 rounding does not explain it
 */
public record Difference(long step, Kind kind, String tensor, double relative, double scale, double timesNoise) {
    /** What differs, in the order in which a step computes it. */
    public enum Kind {
        LOSS("loss"),
        GRADIENT("gradient"),
        GRADIENT_NORM("gradient norm"),
        WEIGHT("weight");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }

    /** NaN counts as beyond the noise. */
    public boolean isBeyondNoise() {
        return !(timesNoise <= 1);
    }
}
