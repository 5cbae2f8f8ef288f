package io.hirundo.commmpi.internal.collective;

import io.hirundo.device.Event;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.support.End;
import java.util.List;
import java.util.concurrent.locks.Condition;

/** This rank's view of a collective or message under way. Guarded by the hub's lock. */
public final class Operation implements Pending, Event {
  /** Where a lane is with it. */
  private enum State {
    QUEUED,
    MEETING,
    UNREADY,
    MOVING,
    OVER
  }

  private final WorldState hub;
  private final String name;
  private final Condition changed;
  private State state = State.QUEUED;
  private boolean complete;
  private List<Integer> absent = List.of();

  /**
   * To be made under the hub's lock.
   *
   * @param name as in {@code all-reduce SUM of 12 FP32, number 3 along [DATA] (ranks [0, 1])}
   */
  public Operation(WorldState hub, String name) {
    this.hub = hub;
    this.name = name;
    this.changed = hub.lock().newCondition();
    hub.opened(this);
  }

  String name() {
    return name;
  }

  /** A lane comes to it, and meets the other ranks. */
  void taken() {
    enter(State.MEETING);
  }

  /** The lane waits until the operands are ready. */
  void met() {
    enter(State.UNREADY);
  }

  /**
   * Operands are ready; the lane touches them from now on.
   *
   * @return false when the world has ended: operands must not be touched
   */
  boolean begun() {
    return enter(State.MOVING);
  }

  private boolean enter(State next) {
    hub.lock().lock();
    try {
      if (hub.hasEnded()) {
        return false;
      }
      state = next;
      return true;
    } finally {
      hub.lock().unlock();
    }
  }

  /** The lane waits for these ranks of the world. */
  void waitsFor(List<Integer> ranks) {
    hub.lock().lock();
    try {
      absent = ranks;
    } finally {
      hub.lock().unlock();
    }
  }

  /** The lane has done everything. */
  void complete() {
    hub.lock().lock();
    try {
      complete = true;
      hub.completed(this);
      over();
    } finally {
      hub.lock().unlock();
    }
  }

  /** The lane touches operands no more, because the world has ended. */
  void abandon() {
    hub.lock().lock();
    try {
      over();
    } finally {
      hub.lock().unlock();
    }
  }

  private void over() {
    state = State.OVER;
    changed.signalAll();
  }

  /** To be called under the hub's lock. */
  void signalAll() {
    changed.signalAll();
  }

  @Override
  public Event event() {
    return this;
  }

  /** Whether operands are the caller's again, because all went well or the world has ended. */
  @Override
  public boolean hasHappened() {
    hub.lock().lock();
    try {
      return isSettled();
    } finally {
      hub.lock().unlock();
    }
  }

  private boolean isSettled() {
    return complete || (hub.hasEnded() && state != State.MOVING);
  }

  @Override
  public void await() {
    settle();
    if (!complete) {
      hub.requireAlive(name);
    }
  }

  /** Waits until the operands are the caller's again, never longer than the deadline. */
  public void settle() {
    boolean interrupted = false;
    hub.lock().lock();
    try {
      long deadline = System.nanoTime() + hub.timeoutNanos();
      while (!isSettled()) {
        try {
          if (interrupted || hub.hasEnded()) {
            // A kernel that runs cannot be left half-done; it ends soon.
            changed.awaitUninterruptibly();
          } else if (changed.awaitNanos(deadline - System.nanoTime()) <= 0 && !complete) {
            hub.end(new End(overdue(), null));
          }
        } catch (InterruptedException e) {
          interrupted = true;
          hub.end(new End("rank " + hub.rank() + " was interrupted while it waited for " + name, e));
        }
      }
    } finally {
      hub.lock().unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private String overdue() {
    String waited = "rank " + hub.rank() + " waited " + hub.timeoutSeconds() + " s for " + name + ": ";
    return switch (state) {
      case QUEUED -> waited + "what it began before has not ended";
      case UNREADY -> waited + "rank " + hub.rank() + " came, but did not end the work before it";
      case MEETING -> waited + ranks(absent) + " did not come";
      case MOVING, OVER ->
          waited + (absent.isEmpty() ? "all ranks" : ranks(absent)) + " came, but did not end the work before it";
    };
  }

  /** As in {@code rank 1} or {@code ranks [0, 2]}. */
  static String ranks(List<Integer> ranks) {
    return ranks.size() == 1 ? "rank " + ranks.getFirst() : "ranks " + ranks;
  }
}
