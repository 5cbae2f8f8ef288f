package io.hirundo.commmpi.internal.fabric;

import io.hirundo.commmpi.internal.wire.Wire;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Processes that are threads: what MPI does, as far as {@link Wire} asks for it. Small messages are sent at once, large ones wait. */
final class MemoryWire implements Wire {
    private static final int EAGER_BYTES = 4096;

    private record Line(int world, int from, int to, int tag) {}

    /** A message that has been sent. */
    private static final class Sent {
        private final MemorySegment bytes;
        private final boolean eager;
        private boolean taken;

        Sent(MemorySegment bytes) {
            this.eager = bytes.byteSize() <= EAGER_BYTES;
            // The receiver's thread reads it, which may not be the one that the memory is confined to.
            this.bytes = eager
                    ? MemorySegment.ofArray(bytes.toArray(ValueLayout.JAVA_BYTE))
                    : MemorySegment.ofAddress(bytes.address()).reinterpret(bytes.byteSize());
        }
    }

    private final Map<Line, Deque<Sent>> lines;
    private final int world;
    private final int rank;
    private final int size;
    private int worlds;

    private MemoryWire(Map<Line, Deque<Sent>> lines, int world, int rank, int size) {
        this.lines = lines;
        this.world = world;
        this.rank = rank;
        this.size = size;
    }

    static List<Wire> wires(int size) {
        var lines = new HashMap<Line, Deque<Sent>>();
        var wires = new ArrayList<Wire>();
        for (int rank = 0; rank < size; rank++) {
            wires.add(new MemoryWire(lines, 0, rank, size));
        }
        return wires;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public Transmission send(MemorySegment bytes, int to, int tag) {
        var sent = new Sent(bytes);
        synchronized (lines) {
            lines.computeIfAbsent(new Line(world, rank, to, tag), key -> new ArrayDeque<>())
                    .add(sent);
        }
        return () -> {
            synchronized (lines) {
                return sent.eager || sent.taken;
            }
        };
    }

    /** Receives of one line must end in the order in which they begin, as ours do. */
    @Override
    public Transmission receive(MemorySegment bytes, int from, int tag) {
        var line = new Line(world, from, rank, tag);
        return new Transmission() {
            private boolean ended;

            @Override
            public boolean hasEnded() {
                synchronized (lines) {
                    Deque<Sent> waiting = lines.getOrDefault(line, new ArrayDeque<>());
                    if (!ended && !waiting.isEmpty()) {
                        Sent sent = waiting.remove();
                        if (sent.bytes.byteSize() != bytes.byteSize()) {
                            throw new AssertionError(
                                    line + ": " + sent.bytes.byteSize() + " bytes for " + bytes.byteSize());
                        }
                        bytes.copyFrom(sent.bytes);
                        sent.taken = true;
                        ended = true;
                    }
                    return ended;
                }
            }
        };
    }

    @Override
    public int caller(int tag) {
        synchronized (lines) {
            for (int from = 0; from < size; from++) {
                if (!lines.getOrDefault(new Line(world, from, rank, tag), new ArrayDeque<>())
                        .isEmpty()) {
                    return from;
                }
            }
        }
        return -1;
    }

    @Override
    public Wire separate() {
        return new MemoryWire(lines, 1000 * world + ++worlds, rank, size);
    }
}
