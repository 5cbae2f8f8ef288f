package io.hirundo.devicecuda.internal.graph;

import io.hirundo.DeviceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Consecutive calls with constant operands, and their graph. */
record GraphSegment(Span span, CaptureTarget.Graph graph) {
    /** The calls from {@code begin} to before {@code end}. */
    record Span(int begin, int end) {
        int calls() {
            return end - begin;
        }

        private List<Call> of(List<CallSlot> slots) {
            return slots.subList(begin, end).stream().map(CallSlot::call).toList();
        }
    }

    /** Limited, so that the GPU gets work before the host has processed all calls. */
    private static final int MAX_CALLS = 64;

    /** Fewer calls are equally fast without a graph. */
    private static final int MIN_CALLS = 4;

    /**
     * Creates graphs of the calls with constant operands.
     *
     * @param before the previous segments, which are reused or closed
     * @throws DeviceException if the device cannot create a graph; all segments are closed then
     */
    static List<GraphSegment> of(List<CallSlot> slots, List<GraphSegment> before, CaptureTarget outlet) {
        Map<Span, GraphSegment> left = new HashMap<>();
        before.forEach(piece -> left.put(piece.span, piece));
        var pieces = new ArrayList<GraphSegment>();
        try {
            for (Span span : spans(slots)) {
                GraphSegment same = left.remove(span);
                pieces.add(same == null ? new GraphSegment(span, outlet.graph(span.of(slots))) : same);
            }
        } catch (DeviceException failure) {
            pieces.forEach(piece -> piece.graph.close());
            throw failure;
        } finally {
            left.values().forEach(piece -> piece.graph.close());
        }
        return pieces;
    }

    private static List<Span> spans(List<CallSlot> slots) {
        var spans = new ArrayList<Span>();
        int begin = 0;
        for (int at = 0; at <= slots.size(); at++) {
            CallSlot slot = at < slots.size() ? slots.get(at) : null;
            if (slot == null || slot.varies() || slot.isBehindCut() || at - begin == MAX_CALLS) {
                if (at - begin >= MIN_CALLS) {
                    spans.add(new Span(begin, at));
                }
                begin = slot != null && slot.varies() ? at + 1 : at;
            }
        }
        return spans;
    }
}
