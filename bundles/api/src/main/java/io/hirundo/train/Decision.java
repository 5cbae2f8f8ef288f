package io.hirundo.train;

/**
 * Result of a change request; the same on all ranks.
 *
 * @param granted whether it was applied; if not, nothing has changed
 * @param step after which it was decided
 * @param message one line: what was done, or why it was rejected and what to do
 */
public record Decision(boolean granted, long step, String message) {}
