package io.hirundo.devicecuda.internal.graph;

import io.hirundo.DeviceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Calls in a row that are the same each time, and their graph. */
record GraphSegment(Span span, CaptureTarget.Graph graph) {
  /** Calls from the first to the one behind the last. */
  record Span(int begin, int end) {
    int calls() {
      return end - begin;
    }

    private List<Call> of(List<CallSlot> slots) {
      return slots.subList(begin, end).stream().map(CallSlot::call).toList();
    }
  }

  /** So that the GPU has something to do before the host is through with all. */
  private static final int MOST_CALLS = 64;

  /** Fewer are given to the stream as quickly one by one. */
  private static final int FEWEST_CALLS = 4;

  /**
   * Graphs of what is the same each time.
   *
   * @param before those until now: taken over, or closed
   * @throws DeviceException where the device makes none; all are closed then
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
      if (slot == null || slot.varies() || slot.isBehindCut() || at - begin == MOST_CALLS) {
        if (at - begin >= FEWEST_CALLS) {
          spans.add(new Span(begin, at));
        }
        begin = slot != null && slot.varies() ? at + 1 : at;
      }
    }
    return spans;
  }
}
