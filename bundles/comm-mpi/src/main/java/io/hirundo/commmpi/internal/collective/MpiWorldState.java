package io.hirundo.commmpi.internal.collective;

import io.hirundo.CommunicationException;
import io.hirundo.commmpi.internal.wire.Wire;
import io.hirundo.lib.fabric.End;
import io.hirundo.lib.fabric.Lane;
import io.hirundo.lib.fabric.LaneHost;
import io.hirundo.mesh.Mesh;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** What the threads of one rank share in one world. Its lock guards this, and the state of operations and lanes. */
public final class MpiWorldState implements LaneHost {
    private final ReentrantLock lock = new ReentrantLock();
    private final Wire wire;
    private final int rank;
    private final Mesh mesh;
    private final int timeoutSeconds;
    private final Set<Operation> open = new LinkedHashSet<>();
    private final Set<Lane> lanes = new LinkedHashSet<>();
    /** When we heard that a rank has left, on the clock of {@link System#nanoTime}. */
    private final Map<Integer, Long> leftNanos = new ConcurrentHashMap<>();

    private final Control control;
    private volatile End end;
    private volatile boolean endedByOther;
    private volatile boolean left;
    private volatile boolean endedWell;

    /**
     * @param wire for the messages of this world alone
     */
    public MpiWorldState(Wire wire, Mesh mesh, int timeoutSeconds) {
        this.wire = wire;
        this.rank = wire.rank();
        this.mesh = mesh;
        this.timeoutSeconds = timeoutSeconds;
        this.control = new Control(this);
        control.start();
    }

    @Override
    public ReentrantLock lock() {
        return lock;
    }

    Wire wire() {
        return wire;
    }

    /** Of this process. */
    public int rank() {
        return rank;
    }

    public Mesh mesh() {
        return mesh;
    }

    @Override
    public int timeoutSeconds() {
        return timeoutSeconds;
    }

    /** Here and on all other ranks. */
    @Override
    public void end(End why) {
        end(why, false);
    }

    /** As another rank said. */
    void endAsReported(String reason) {
        end(new End(reason, null), true);
    }

    private void end(End why, boolean byOther) {
        lock.lock();
        try {
            if (end == null) {
                endedByOther = byOther;
                end = why;
                open.forEach(Operation::signalAll);
                lanes.forEach(Lane::stop);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean hasEnded() {
        return end != null;
    }

    /** Whether another rank has ended the world and notified this one. */
    public boolean wasEndedByOther() {
        return endedByOther;
    }

    /** Why; null before the end. */
    End end() {
        return end;
    }

    void requireAlive(String collective) {
        requireAlive(rank, () -> collective);
    }

    @Override
    public void requireAlive(int ofProcess, Supplier<String> collective) {
        End why = end;
        if (why != null) {
            throw why.exceptionFor(ofProcess, collective.get());
        }
        if (left) {
            throw new CommunicationException(
                    "rank " + ofProcess + ": " + collective.get() + " was ended: the world was closed");
        }
    }

    void otherLeft(int other) {
        leftNanos.putIfAbsent(other, System.nanoTime());
    }

    /** Whether it is so long since a rank left that what it sent before has come. */
    boolean leftLongAgo(int other, long graceNanos) {
        Long nanos = leftNanos.get(other);
        return nanos != null && System.nanoTime() - nanos > graceNanos;
    }

    Set<Integer> othersThatLeft() {
        return leftNanos.keySet();
    }

    /** Nothing more is begun. */
    public void leave() {
        left = true;
    }

    /** Tells the others that this rank has left, and waits until all have. */
    public void part() {
        endedWell = control.part();
    }

    /** Whether all ranks have left. */
    public boolean hasEndedWell() {
        return endedWell;
    }

    void opened(Operation operation) {
        open.add(operation);
    }

    void completed(Operation operation) {
        open.remove(operation);
    }

    /** What this rank has begun and not finished. */
    public List<Operation> underWay() {
        lock.lock();
        try {
            return List.copyOf(open);
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

    /** Names of the threads that still run, for tests. */
    public List<String> threads() {
        lock.lock();
        try {
            var names = new ArrayList<>(lanes.stream().map(Lane::name).toList());
            if (control.isAlive()) {
                names.add(control.name());
            }
            return names;
        } finally {
            lock.unlock();
        }
    }
}
