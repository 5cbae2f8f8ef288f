package io.hirundo.commlocal.internal;

import io.hirundo.mesh.support.Lane;
import java.util.ArrayDeque;
import java.util.Deque;

/** The parts of one rank that share a lane, in the program's order. Guarded by the hub's lock. */
final class Line {
  private final Lane lane;
  /** Not given to the lane, because the rank that comes last may move everything. */
  private final Deque<Part> kept = new ArrayDeque<>();

  private int onLane;

  Line(Lane lane) {
    this.lane = lane;
  }

  /** Whether the lane has ended all work that it was given. */
  boolean isIdle() {
    return onLane == 0;
  }

  void keep(Part part) {
    kept.add(part);
  }

  /** Gives a part to the lane, after all those before it. */
  void giveToLane(Part last) {
    while (kept.contains(last)) {
      Part next = kept.remove();
      onLane++;
      lane.add(next::run);
      next.meeting().parts().giveToLanes();
    }
  }

  /** The lane has moved a part. */
  void moved() {
    onLane--;
  }

  /** The rank that comes last moves a part. */
  void remove(Part part) {
    kept.remove(part);
  }
}
