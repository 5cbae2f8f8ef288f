package io.hirundo.lib.engine.step;

/**
 * Measures or checks a step while it runs, on the rank's thread. After {@link #begin} comes {@link #end}; {@link #abandon} comes where
 * the step fails, and where {@code begin} or {@code end} itself does.
 */
public interface StepInstrument {
    /** The step begins: nothing of it is enqueued yet. */
    default void begin(long step) {}

    /** The gradients are reduced over ranks and not yet clipped. */
    default void gradientsFinished() {}

    /** The optimizer's work is enqueued in the model's queue. */
    default void weightsUpdated() {}

    /** The step is enqueued. */
    default void end() {}

    /** The step failed, or {@link #begin} or {@link #end} did. What it throws is suppressed in that failure. */
    default void abandon() {}

    /** Whether the step may be captured as a graph, or run as one. Not if this reads, or enqueues other work in each step. */
    default boolean allowsGraphCapture() {
        return false;
    }
}
