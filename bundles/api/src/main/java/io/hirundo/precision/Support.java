package io.hirundo.precision;

/**
 * Whether something is supported.
 *
 * @param supported the answer
 * @param reason why not; empty if supported
 */
public record Support(boolean supported, String reason) {
    public static final Support YES = new Support(true, "");

    public static Support no(String reason) {
        return new Support(false, reason);
    }
}
