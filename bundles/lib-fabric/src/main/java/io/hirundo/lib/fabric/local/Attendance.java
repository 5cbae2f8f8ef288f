package io.hirundo.lib.fabric.local;

import io.hirundo.lib.fabric.Call;
import java.util.ArrayList;
import java.util.List;

/** Which ranks of a collective have come, in words for messages. Guarded by the world's lock, as the arrays are. */
final class Attendance {
  private final List<Integer> ranks;
  private final Call[] calls;
  private final int[] passed;

  /**
   * @param ranks of the world, by place
   * @param calls by place; null of a rank that has not come
   * @param passed by place, the point at which its lane is
   */
  Attendance(List<Integer> ranks, Call[] calls, int[] passed) {
    this.ranks = ranks;
    this.calls = calls;
    this.passed = passed;
  }

  /** Why a collective does not end: as in {@code rank 1 did not come}. */
  String missing() {
    boolean[] called = calledPlaces();
    boolean[] absent = new boolean[calls.length];
    boolean[] unready = new boolean[calls.length];
    for (int i = 0; i < calls.length; i++) {
      absent[i] = !called[i];
      unready[i] = called[i] && passed[i] < LocalCollective.READY;
    }
    if (any(absent)) {
      return ranksWhere(absent) + " did not come";
    }
    return any(unready) ? ranksWhere(unready) + " came, but did not end the work before it" : "all ranks came, but did not end";
  }

  /** Those that have come. */
  String callers() {
    return ranksWhere(calledPlaces());
  }

  private boolean[] calledPlaces() {
    boolean[] called = new boolean[calls.length];
    for (int i = 0; i < calls.length; i++) {
      called[i] = calls[i] != null;
    }
    return called;
  }

  private static boolean any(boolean[] places) {
    for (boolean place : places) {
      if (place) {
        return true;
      }
    }
    return false;
  }

  /** As in {@code rank 1} or {@code ranks [0, 2]}. */
  private String ranksWhere(boolean[] places) {
    var chosen = new ArrayList<Integer>();
    for (int i = 0; i < places.length; i++) {
      if (places[i]) {
        chosen.add(ranks.get(i));
      }
    }
    return chosen.size() == 1 ? "rank " + chosen.getFirst() : "ranks " + chosen;
  }
}
