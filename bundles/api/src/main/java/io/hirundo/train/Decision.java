package io.hirundo.train;

/**
 * What became of a wish, on all ranks alike.
 *
 * @param granted whether it was done; if not, nothing has changed
 * @param step after which it was decided
 * @param message one line: what was done, or the reason of the refusal and the remedy
 */
public record Decision(boolean granted, long step, String message) {}
