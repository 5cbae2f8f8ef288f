package io.hirundo.lib.fabric.local;

import io.hirundo.lib.fabric.Call;
import io.hirundo.lib.fabric.End;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Condition;

/**
 * One collective, or one message, among its ranks. Each rank announces its part in program order ({@link #announce}). Where
 * there is little to move, the rank that announces last moves it for all ({@link CollectiveParts}). Else each rank's lane comes when the
 * operands are ready ({@link #pass}), moves data while all others' operands are there, and finishes. Guarded by the world's lock.
 */
final class LocalCollective {
    /** Points that no rank passes before all have come: operands are ready; slices are reduced; nobody needs operands. */
    static final int READY = 0;

    static final int REDUCED = 1;
    private static final int DONE = 2;

    private final LocalWorldState world;
    private final LocalGroupState group;
    private final List<Integer> ranks;
    private final Runnable whenComplete;
    /** For lanes at a point, and for ranks that wait for the end: these would be woken at every point for nothing. */
    private final Condition passing;

    private final Condition settling;
    private final Call[] calls;
    private final int[] passed;
    private final Attendance attendance;
    private final CollectiveParts parts;
    private int moving;
    private boolean complete;
    private long arrivalNanos;

    /**
     * @param ranks of the world; a rank's place is its index here
     * @param title number and group
     */
    LocalCollective(
            LocalWorldState world, LocalGroupState group, List<Integer> ranks, String title, Runnable whenComplete) {
        this.world = world;
        this.group = group;
        this.ranks = ranks;
        this.whenComplete = whenComplete;
        this.passing = world.lock().newCondition();
        this.settling = world.lock().newCondition();
        this.calls = new Call[ranks.size()];
        this.passed = new int[ranks.size()];
        this.attendance = new Attendance(ranks, calls, passed, title);
        this.parts = new CollectiveParts(world, ranks.size());
        Arrays.fill(passed, -1);
        world.opened(this);
    }

    /** Everybody's part, by place. Complete once a lane has passed {@link #READY}. */
    Call[] calls() {
        return calls;
    }

    CollectiveParts parts() {
        return parts;
    }

    String name(int place) {
        return attendance.name(calls[place]);
    }

    /** A rank says what it is going to do. Ends the world if others of its ranks do something else, or have left. */
    void announce(int place, Call call) {
        Call other = Arrays.stream(calls).filter(Objects::nonNull).findFirst().orElse(call);
        if (other != call && !call.signature().fits(other.signature())) {
            world.end(new End(attendance.unlike(place, call, other), null));
        }
        calls[place] = call;
        endIfSomebodyLeft();
        world.requireAlive(ranks.get(place), () -> name(place));
    }

    /** Ends the world if a rank waits here for one that will not come. */
    void endIfSomebodyLeft() {
        for (int place = 0; place < calls.length; place++) {
            if (calls[place] == null && world.hasLeft(ranks.get(place))) {
                Call waiting = Arrays.stream(calls)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElseThrow();
                world.end(new End(attendance.closed(place, waiting), null));
            }
        }
    }

    boolean wasBegunBy(int rank) {
        int place = ranks.indexOf(rank);
        return place >= 0 && calls[place] != null;
    }

    /**
     * A lane comes to a point and waits for the others there. From then on it may touch operands, until it comes to the next.
     *
     * @return false when the world has ended: operands must not be touched
     */
    boolean pass(int place, int point) {
        world.lock().lock();
        try {
            arrive(place, point);
            if (point == READY && attendance.allPassed(READY)) {
                arrivalNanos = group.transfer(calls[0].signature(), ranks);
            }
            while (!attendance.allPassed(point) && !world.hasEnded()) {
                passing.awaitUninterruptibly();
            }
            if (world.hasEnded()) {
                return false;
            }
            moving++;
            return true;
        } finally {
            world.lock().unlock();
        }
    }

    /** A lane needs nobody's operands any more. */
    void finish(int place) {
        world.lock().lock();
        try {
            parts.moved(place);
            arrive(place, DONE);
            if (attendance.allPassed(DONE)) {
                complete();
            }
        } finally {
            world.lock().unlock();
        }
    }

    /**
     * The last rank moves the data of all; see {@link CollectiveParts}. To be called under the world's lock, as the last that its holder does:
     * others may have it meanwhile, to end the world for instance.
     */
    void moveAll() {
        moving++;
        world.lock().unlock();
        Throwable failure = null;
        try {
            parts.move();
        } catch (RuntimeException | Error e) {
            failure = e;
        } finally {
            world.lock().lock();
            moving--;
        }
        if (failure != null) {
            world.end(End.failure(ranks.get(parts.at()), failure));
        } else if (!world.hasEnded()) {
            complete();
        }
        signalAll();
    }

    private void complete() {
        complete = true;
        world.completed(this);
        whenComplete.run();
    }

    /** A lane gives up, with or without having come to a point. */
    void giveUp(int place, Throwable cause) {
        world.lock().lock();
        try {
            moving -= passed[place] >= READY ? 1 : 0;
            signalAll();
            world.end(End.failure(ranks.get(place), cause));
        } finally {
            world.lock().unlock();
        }
    }

    private void arrive(int place, int point) {
        moving -= point > READY ? 1 : 0;
        passed[place] = point;
        if (world.hasEnded()) {
            signalAll();
        } else if (attendance.allPassed(point)) {
            (point == DONE ? settling : passing).signalAll();
        }
    }

    void signalAll() {
        passing.signalAll();
        settling.signalAll();
    }

    /** Whether the operands are the callers' again, because all went well or the world has ended. */
    boolean isSettled() {
        world.lock().lock();
        try {
            return complete
                    ? arrivalNanos - System.nanoTime() <= 0 || world.cost() == null
                    : world.hasEnded() && moving == 0;
        } finally {
            world.lock().unlock();
        }
    }

    /** Waits until the operands are the caller's again. Not for the link; never longer than the deadline. */
    void settle(int place) {
        boolean interrupted = false;
        world.lock().lock();
        try {
            long deadline = System.nanoTime() + world.timeoutNanos();
            while (!complete && !(world.hasEnded() && moving == 0)) {
                try {
                    if (interrupted || world.hasEnded()) {
                        // A kernel that runs cannot be left half-done; it ends soon.
                        settling.awaitUninterruptibly();
                    } else if (settling.awaitNanos(deadline - System.nanoTime()) <= 0 && !complete) {
                        world.end(new End(attendance.overdue(place, world.timeoutSeconds()), null));
                    }
                } catch (InterruptedException e) {
                    interrupted = true;
                    world.end(new End(
                            "rank " + ranks.get(place) + " was interrupted while it waited for " + name(place), e));
                }
            }
        } finally {
            world.lock().unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** As {@link #settle(int)}, for a rank that takes part. */
    void settleFor(int rank) {
        settle(ranks.indexOf(rank));
    }

    /** Waits until the result is there, over the link as well. */
    void await(int place) {
        settle(place);
        if (!complete) {
            world.requireAlive(ranks.get(place), () -> name(place));
        } else if (world.cost() != null) {
            Pause.until(arrivalNanos, world::hasEnded);
        }
    }
}
