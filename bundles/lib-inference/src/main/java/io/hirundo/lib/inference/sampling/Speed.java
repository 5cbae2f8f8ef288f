package io.hirundo.lib.inference.sampling;

import java.util.Locale;

/**
 * How fast a text was generated.
 *
 * @param promptTokens tokens of the prompt
 * @param prefillNanos until the logits after the prompt were known
 * @param newTokens tokens generated
 * @param decodeNanos from then until the end: the forward passes of all new tokens but the last, sampling and output
 */
public record Speed(int promptTokens, long prefillNanos, int newTokens, long decodeNanos) {
    /** One line for the console. */
    public String describe() {
        return "prompt of " + rate(promptTokens, promptTokens, prefillNanos) + ", generated "
                + rate(newTokens, newTokens - 1, decodeNanos);
    }

    /** {@code passes}: tokens that went through the model in this time. */
    private static String rate(int tokens, int passes, long nanos) {
        String time =
                String.format(Locale.ROOT, "%d %s in %.3f s", tokens, tokens == 1 ? "token" : "tokens", nanos * 1e-9);
        return passes < 1 || nanos == 0
                ? time
                : String.format(Locale.ROOT, "%s (%.0f tokens/s)", time, passes / (nanos * 1e-9));
    }
}
