package io.hirundo.lib.fabric.local;

import io.hirundo.CommunicationException;
import io.hirundo.lib.fabric.End;
import io.hirundo.lib.fabric.GroupName;
import io.hirundo.lib.fabric.Lane;
import io.hirundo.lib.fabric.LaneHost;
import io.hirundo.mesh.Mesh;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** What the ranks of one run share. Its lock guards this, and the state of groups, collectives and lanes. */
final class LocalWorldState implements LaneHost {
    private final ReentrantLock lock = new ReentrantLock();
    private final Mesh mesh;
    private final int timeoutSeconds;
    private final TransferCost cost;
    private final Condition joining = lock.newCondition();
    private final Set<Integer> joined = new TreeSet<>();
    private final Set<Integer> left = new HashSet<>();
    private final Map<GroupName, LocalGroupState> groups = new HashMap<>();
    private final Set<LocalCollective> open = new LinkedHashSet<>();
    private final Set<Lane> lanes = new HashSet<>();
    private End end;

    /** {@code cost}: null for none. */
    LocalWorldState(Mesh mesh, int timeoutSeconds, TransferCost cost) {
        this.mesh = mesh;
        this.timeoutSeconds = timeoutSeconds;
        this.cost = cost;
    }

    @Override
    public ReentrantLock lock() {
        return lock;
    }

    Mesh mesh() {
        return mesh;
    }

    /** What transfers cost; null for nothing. */
    TransferCost cost() {
        return cost;
    }

    @Override
    public int timeoutSeconds() {
        return timeoutSeconds;
    }

    /** Whether more ranks are awaited. */
    boolean isGathering() {
        lock.lock();
        try {
            return end == null && joined.size() < mesh.ranks();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Counts a rank in and waits for the others. Whoever finds everybody there has joined, also when a fast rank has already
     * ended the world: its collectives say so.
     */
    void join(int rank) {
        lock.lock();
        try {
            if (!joined.add(rank)) {
                throw new IllegalArgumentException("rank " + rank + " joins twice");
            }
            joining.signalAll();
            awaitOthers(rank);
            if (!missing().isEmpty()) {
                requireAlive(rank, () -> "joining the world of " + mesh.ranks() + " ranks");
            }
        } finally {
            lock.unlock();
        }
    }

    private void awaitOthers(int rank) {
        long deadline = System.nanoTime() + timeoutNanos();
        try {
            while (!missing().isEmpty() && end == null) {
                if (joining.awaitNanos(deadline - System.nanoTime()) <= 0
                        && !missing().isEmpty()) {
                    String reason = "rank " + rank + " waited " + timeoutSeconds() + " s, but ranks " + missing()
                            + " did not join";
                    end(new End(reason, null));
                }
            }
        } catch (InterruptedException e) {
            if (!missing().isEmpty()) {
                end(new End("rank " + rank + " was interrupted while ranks " + missing() + " had not joined", e));
            }
            Thread.currentThread().interrupt();
        }
    }

    private List<Integer> missing() {
        return IntStream.range(0, mesh.ranks())
                .filter(rank -> !joined.contains(rank))
                .boxed()
                .toList();
    }

    /** The state that the ranks of a group share. */
    LocalGroupState group(GroupName name) {
        lock.lock();
        try {
            return groups.computeIfAbsent(name, key -> new LocalGroupState(this, name));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void end(End why) {
        lock.lock();
        try {
            if (end == null) {
                end = why;
                joining.signalAll();
                open.forEach(LocalCollective::signalAll);
                lanes.forEach(Lane::stop);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean hasEnded() {
        lock.lock();
        try {
            return end != null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void requireAlive(int rank, Supplier<String> collective) {
        lock.lock();
        try {
            if (end != null) {
                throw end.exceptionFor(rank, collective.get());
            }
            if (left.contains(rank)) {
                throw new CommunicationException(
                        "rank " + rank + ": " + collective.get() + " was ended: the world was closed");
            }
        } finally {
            lock.unlock();
        }
    }

    /** A rank takes part in nothing more. Ends the world if another waits for it. */
    void leave(int rank) {
        lock.lock();
        try {
            if (left.add(rank)) {
                List.copyOf(open).forEach(LocalCollective::endIfSomebodyLeft);
            }
        } finally {
            lock.unlock();
        }
    }

    boolean hasLeft(int rank) {
        return left.contains(rank);
    }

    void opened(LocalCollective collective) {
        open.add(collective);
    }

    void completed(LocalCollective collective) {
        open.remove(collective);
    }

    /** What a rank has begun and nobody has finished. */
    List<LocalCollective> begunBy(int rank) {
        lock.lock();
        try {
            return open.stream()
                    .filter(collective -> collective.wasBegunBy(rank))
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void started(Lane lane) {
        lanes.add(lane);
    }

    @Override
    public void ended(Lane lane) {
        lock.lock();
        try {
            lanes.remove(lane);
        } finally {
            lock.unlock();
        }
    }

    /** Names of the threads that still run. */
    List<String> threads() {
        lock.lock();
        try {
            return new ArrayList<>(lanes.stream().map(Lane::name).toList());
        } finally {
            lock.unlock();
        }
    }
}
