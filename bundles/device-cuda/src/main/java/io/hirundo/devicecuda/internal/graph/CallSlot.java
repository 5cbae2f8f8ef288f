package io.hirundo.devicecuda.internal.graph;

/** The slot of a call in a captured sequence. */
final class CallSlot {
    private final Call call;
    private boolean varies;
    private boolean behindCut;

    /** {@code call}: a kept call. */
    CallSlot(Call call) {
        this.call = call;
    }

    Call call() {
        return call;
    }

    /** Whether its operands vary between passes. */
    boolean varies() {
        return varies;
    }

    /** Marks the operands as varying. Returns whether that is a change. */
    boolean vary() {
        boolean hasChanged = !varies;
        varies = true;
        return hasChanged;
    }

    /** Whether the calls before it must be in the stream before this call is requested. */
    boolean isBehindCut() {
        return behindCut;
    }

    /** Marks a cut before the call. Returns whether that is a change. */
    boolean cut() {
        boolean hasChanged = !behindCut;
        behindCut = true;
        return hasChanged;
    }
}
