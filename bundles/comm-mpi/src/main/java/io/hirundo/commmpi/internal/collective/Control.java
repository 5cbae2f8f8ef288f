package io.hirundo.commmpi.internal.collective;

import io.hirundo.CommunicationException;
import io.hirundo.commmpi.internal.wire.Wire;
import io.hirundo.lib.fabric.End;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** The thread that notifies the other ranks of a world that it has ended or that this rank leaves, and receives their notifications. */
final class Control implements Runnable {
    /** Of its messages. */
    static final int TAG = 1;

    private static final int BYTES = 4096;
    private static final int ENDED = 1;
    private static final int LEFT = 2;
    private static final int TEXT = 8;
    private static final long LOOK_MILLIS = 2;
    /** How long this rank tries to notify ranks that do not receive. */
    private static final long NOTIFY_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final MpiWorldState world;
    private final Thread thread;
    private volatile boolean leaving;

    Control(MpiWorldState world) {
        this.world = world;
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("hirundo rank " + world.rank() + " communication control")
                .unstarted(this);
    }

    void start() {
        thread.start();
    }

    boolean isAlive() {
        return thread.isAlive();
    }

    String name() {
        return thread.getName();
    }

    @Override
    public void run() {
        try {
            boolean hasNotified = false;
            while (true) {
                hear();
                if (world.hasEnded()) {
                    if (!world.wasEndedByOther()) {
                        notifyOthers(ENDED, world.end().reason());
                    }
                    return;
                }
                if (leaving && !hasNotified) {
                    notifyOthers(LEFT, "");
                    hasNotified = true;
                }
                if (hasNotified && world.othersThatLeft().size() == others().size()) {
                    return;
                }
                pause(LOOK_MILLIS);
            }
        } catch (RuntimeException | Error e) {
            world.end(End.failure(world.rank(), e));
        }
    }

    private void hear() {
        for (int from = world.wire().caller(TAG); from >= 0; from = world.wire().caller(TAG)) {
            MemorySegment message = Arena.ofAuto().allocate(BYTES);
            Wire.Transmission receiving = world.wire().receive(message, from, TAG);
            while (!receiving.hasEnded()) {
                Thread.onSpinWait();
            }
            int length = message.get(ValueLayout.JAVA_INT, Integer.BYTES);
            byte[] text = message.asSlice(TEXT, length).toArray(ValueLayout.JAVA_BYTE);
            if (message.get(ValueLayout.JAVA_INT, 0) == ENDED) {
                world.endAsReported(new String(text, StandardCharsets.UTF_8));
            } else {
                world.otherLeft(from);
            }
        }
    }

    /** Returns when all other ranks have received the notification, or after {@link #NOTIFY_NANOS}. */
    private void notifyOthers(int what, String reason) {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        text = Arrays.copyOf(text, Math.min(text.length, BYTES - TEXT));
        // Never freed: a send to a rank that does not receive may still read it.
        MemorySegment message = Arena.global().allocate(BYTES);
        message.set(ValueLayout.JAVA_INT, 0, what);
        message.set(ValueLayout.JAVA_INT, Integer.BYTES, text.length);
        message.asSlice(TEXT).copyFrom(MemorySegment.ofArray(text));
        var sending = new ArrayList<Wire.Transmission>();
        others().forEach(other -> sending.add(world.wire().send(message, other, TAG)));
        long deadline = System.nanoTime() + NOTIFY_NANOS;
        while (!sending.isEmpty() && System.nanoTime() - deadline < 0) {
            sending.removeIf(Wire.Transmission::hasEnded);
            Thread.yield();
        }
    }

    private List<Integer> others() {
        return IntStream.range(0, world.mesh().ranks())
                .filter(other -> other != world.rank())
                .boxed()
                .toList();
    }

    /**
     * Leaves. Waits for the others: MPI may not end while they need it, nor the process before them.
     *
     * @return whether all have left and the world has not ended before
     */
    boolean part() {
        leaving = true;
        boolean interrupted = join(world.timeoutNanos());
        if (thread.isAlive()) {
            var reason = world.rank() + " closed its world and waited " + world.timeoutSeconds() + " s, but ranks "
                    + missing() + " did not";
            world.end(new End("rank " + reason, null));
            interrupted |= join(2 * NOTIFY_NANOS);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !world.hasEnded();
    }

    private List<Integer> missing() {
        return others().stream()
                .filter(other -> !world.othersThatLeft().contains(other))
                .toList();
    }

    private boolean join(long nanos) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + nanos;
        while (thread.isAlive() && deadline - System.nanoTime() > 0) {
            try {
                TimeUnit.NANOSECONDS.timedJoin(thread, deadline - System.nanoTime());
            } catch (InterruptedException e) {
                interrupted = true;
                world.end(new End(
                        "rank " + world.rank() + " was interrupted while it waited for ranks " + missing()
                                + " to leave",
                        e));
            }
        }
        return interrupted;
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommunicationException("the thread that listens to other ranks was interrupted", e);
        }
    }
}
