package io.hirundo.commmpi.internal.collective;

import io.hirundo.commmpi.internal.wire.Backoff;
import io.hirundo.commmpi.internal.wire.Wire;
import io.hirundo.lib.fabric.End;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;

/**
 * Messages to and from several ranks at the same time, for one operation.
 *
 * @param tag of the messages with a rank of the world
 */
record Exchange(MpiWorldState world, Operation operation, IntUnaryOperator tag) {
    /** MPI counts bytes in an {@code int}. */
    private static final long MAX_BYTES = 1 << 30;

    /** What a rank sent before it said that it leaves has come after this. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /**
     * @param peer rank of the world
     * @param sends or receives
     */
    record Message(int peer, MemorySegment bytes, boolean sends) {}

    private record Moving(int peer, Wire.Transmission transmission) {}

    /**
     * Moves all messages.
     *
     * @return false when the world has ended before; memory must then stay where it is
     */
    boolean run(List<Message> messages) {
        var moving = new ArrayList<Moving>();
        // What can be received at once needs no memory of MPI's.
        messages.stream().filter(message -> !message.sends()).forEach(message -> begin(message, moving));
        messages.stream().filter(Message::sends).forEach(message -> begin(message, moving));
        var backoff = new Backoff();
        while (!moving.isEmpty()) {
            if (moving.removeIf(each -> each.transmission().hasEnded())) {
                backoff.reset();
            } else if (world.hasEnded()) {
                return false;
            } else {
                operation.waitsFor(
                        moving.stream().map(Moving::peer).distinct().sorted().toList());
                moving.forEach(each -> requirePresent(each.peer()));
                backoff.pause();
            }
        }
        operation.waitsFor(List.of());
        return !world.hasEnded();
    }

    private void begin(Message message, List<Moving> moving) {
        MemorySegment bytes = message.bytes();
        for (long first = 0; first < bytes.byteSize(); first += MAX_BYTES) {
            MemorySegment piece = bytes.asSlice(first, Math.min(MAX_BYTES, bytes.byteSize() - first));
            int number = tag.applyAsInt(message.peer());
            Wire.Transmission transmission = message.sends()
                    ? world.wire().send(piece, message.peer(), number)
                    : world.wire().receive(piece, message.peer(), number);
            moving.add(new Moving(message.peer(), transmission));
        }
    }

    private void requirePresent(int peer) {
        if (world.leftLongAgo(peer, GRACE_NANOS)) {
            world.end(new End(
                    "rank " + peer + " closed its world while rank " + world.rank() + " waited for it in "
                            + operation.name(),
                    null));
        }
    }
}
