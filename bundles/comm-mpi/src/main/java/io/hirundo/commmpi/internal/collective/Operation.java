package io.hirundo.commmpi.internal.collective;

import io.hirundo.device.Event;
import io.hirundo.lib.fabric.End;
import io.hirundo.mesh.Pending;
import java.util.List;
import java.util.concurrent.locks.Condition;

/** This rank's view of a collective or message under way. Guarded by the world's lock. */
public final class Operation implements Pending, Event {
    /** Where a lane is with it. */
    private enum State {
        QUEUED,
        AGREEING,
        UNREADY,
        MOVING,
        OVER
    }

    private final MpiWorldState world;
    private final String name;
    private final Condition changed;
    private State state = State.QUEUED;
    private boolean complete;
    private List<Integer> absent = List.of();

    /**
     * To be made under the world's lock.
     *
     * @param name as in {@code all-reduce SUM of 12 FP32, number 3 along [DATA] (ranks [0, 1])}
     */
    public Operation(MpiWorldState world, String name) {
        this.world = world;
        this.name = name;
        this.changed = world.lock().newCondition();
        world.opened(this);
    }

    String name() {
        return name;
    }

    /** A lane comes to it, and meets the other ranks. */
    void taken() {
        enter(State.AGREEING);
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
        world.lock().lock();
        try {
            if (world.hasEnded()) {
                return false;
            }
            state = next;
            return true;
        } finally {
            world.lock().unlock();
        }
    }

    /** The lane waits for these ranks of the world. */
    void waitsFor(List<Integer> ranks) {
        world.lock().lock();
        try {
            absent = ranks;
        } finally {
            world.lock().unlock();
        }
    }

    /** The lane has done everything. */
    void complete() {
        world.lock().lock();
        try {
            complete = true;
            world.completed(this);
            over();
        } finally {
            world.lock().unlock();
        }
    }

    /** The lane touches operands no more, because the world has ended. */
    void abandon() {
        world.lock().lock();
        try {
            over();
        } finally {
            world.lock().unlock();
        }
    }

    private void over() {
        state = State.OVER;
        changed.signalAll();
    }

    /** To be called under the world's lock. */
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
        world.lock().lock();
        try {
            return isSettled();
        } finally {
            world.lock().unlock();
        }
    }

    private boolean isSettled() {
        return complete || (world.hasEnded() && state != State.MOVING);
    }

    @Override
    public void await() {
        settle();
        if (!complete) {
            world.requireAlive(name);
        }
    }

    /** Waits until the operands are the caller's again, never longer than the deadline. */
    public void settle() {
        boolean interrupted = false;
        world.lock().lock();
        try {
            long deadline = System.nanoTime() + world.timeoutNanos();
            while (!isSettled()) {
                try {
                    if (interrupted || world.hasEnded()) {
                        // A kernel that runs cannot be left half-done; it ends soon.
                        changed.awaitUninterruptibly();
                    } else if (changed.awaitNanos(deadline - System.nanoTime()) <= 0 && !complete) {
                        world.end(new End(overdue(), null));
                    }
                } catch (InterruptedException e) {
                    interrupted = true;
                    world.end(new End("rank " + world.rank() + " was interrupted while it waited for " + name, e));
                }
            }
        } finally {
            world.lock().unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private String overdue() {
        String waited = "rank " + world.rank() + " waited " + world.timeoutSeconds() + " s for " + name + ": ";
        return switch (state) {
            case QUEUED -> waited + "what it began before has not ended";
            case UNREADY -> waited + "rank " + world.rank() + " called it, but earlier work has not finished";
            case AGREEING -> waited + ranks(absent) + " did not call it";
            case MOVING, OVER ->
                waited + (absent.isEmpty() ? "all ranks" : ranks(absent))
                        + " called it, but earlier work has not finished";
        };
    }

    /** As in {@code rank 1} or {@code ranks [0, 2]}. */
    static String ranks(List<Integer> ranks) {
        return ranks.size() == 1 ? "rank " + ranks.getFirst() : "ranks " + ranks;
    }
}
