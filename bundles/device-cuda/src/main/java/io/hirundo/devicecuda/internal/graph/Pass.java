package io.hirundo.devicecuda.internal.graph;

/** One pass of named work. To be used by one thread at a time. */
public abstract sealed class Pass permits ObservationPass, PlacedPass {
    private final Thread owner = Thread.currentThread();
    private String difference;

    /** The next call. */
    public abstract void call(Call.Asked call);

    /** Allocates memory. */
    public abstract Allocation take(long bytes);

    /**
     * Frees memory that was allocated in this pass.
     *
     * @param alone whether only this queue has used it
     */
    public abstract void give(Allocation take, boolean alone);

    /** Flushes all calls so far to the stream, because other work follows. */
    public abstract void cut();

    /** Ends the pass. */
    public abstract void end();

    /** Marks the pass as different: later calls go directly to the stream. {@code how}: description. */
    void differ(String how) {
        if (difference == null) {
            difference = how;
        }
    }

    boolean differs() {
        return difference != null;
    }

    /** The difference; null if there is none. */
    String difference() {
        return difference;
    }

    boolean isOfThisThread() {
        return owner == Thread.currentThread();
    }
}
