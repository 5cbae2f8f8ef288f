package io.hirundo.runreport.internal.history;

/**
 * Text that the model wrote.
 *
 * @param step steps done
 * @param prompt what the model continued; may be empty
 * @param text the continuation
 */
public record Sample(long step, String prompt, String text) {}
