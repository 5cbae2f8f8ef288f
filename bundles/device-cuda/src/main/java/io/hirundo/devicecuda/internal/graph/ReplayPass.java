package io.hirundo.devicecuda.internal.graph;

import java.util.List;

/** A later pass: compares calls with the recorded ones. The calls of a segment wait until the segment is complete. */
final class ReplayPass extends PlacedPass {
    private final List<CallSlot> slots;
    private final List<GraphSegment> pieces;
    private boolean hasChanged;
    /** Number of calls so far, and of those that were submitted. */
    private int calls;

    private int submitted;
    /** Index of the segment that contains the next call, or of the first one after it. */
    private int piece;

    ReplayPass(CaptureTarget outlet, MemoryPlan memory, List<CallSlot> slots, List<GraphSegment> pieces) {
        super(outlet, memory);
        this.slots = slots;
        this.pieces = pieces;
    }

    @Override
    int calls() {
        return calls;
    }

    @Override
    public void call(Call.Asked call) {
        if (!differs()) {
            compare(call);
        }
        if (differs()) {
            submitWaiting();
            outlet.submit(call);
            return;
        }
        CallSlot slot = slots.get(calls);
        boolean same = call.hasOperandsOf(slot.call());
        if (!same) {
            hasChanged |= slot.vary();
            submitWaiting();
            outlet.submit(call);
            submitted = calls + 1;
        }
        calls++;
        GraphSegment current = piece < pieces.size() ? pieces.get(piece) : null;
        boolean inPiece = current != null && calls > current.span().begin();
        // Timing needs every call submitted separately. If a part of a segment was submitted, the rest need not wait.
        if (!inPiece || outlet.isTimed() || submitted > current.span().begin()) {
            submitWaiting();
        }
        if (inPiece && calls == current.span().end()) {
            endPiece(current);
            piece++;
        }
    }

    private void compare(Call.Asked call) {
        if (calls == slots.size()) {
            differ(call + " comes after " + calls + " calls, and before nothing did any more");
        } else if (!call.isLike(slots.get(calls).call())) {
            differ(call + " comes after " + calls + " calls, and before it was "
                    + slots.get(calls).call());
        }
    }

    private void endPiece(GraphSegment whole) {
        if (submitted == whole.span().begin()) {
            whole.graph().launch();
            submitted = whole.span().end();
        } else {
            submitWaiting();
        }
    }

    private void submitWaiting() {
        while (submitted < calls) {
            // A failing call is not repeated.
            outlet.submit(slots.get(submitted++).call());
        }
    }

    @Override
    public void cut() {
        submitWaiting();
        // Cuts by other threads may occur at any time.
        if (!differs() && calls < slots.size() && isOfThisThread()) {
            hasChanged |= slots.get(calls).cut();
        }
    }

    @Override
    public void end() {
        super.end();
        if (calls < slots.size()) {
            differ("it ends after " + calls + " calls, and before it continued with "
                    + slots.get(calls).call());
        }
        boolean given = false;
        try {
            submitWaiting();
            given = true;
        } finally {
            if (!given) {
                differ("it could not be done");
            }
        }
    }

    /** Whether slots have changed, so that segments must be rebuilt. */
    boolean hasChanged() {
        return hasChanged;
    }
}
