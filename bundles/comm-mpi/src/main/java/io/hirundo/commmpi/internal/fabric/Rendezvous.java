package io.hirundo.commmpi.internal.fabric;

import io.hirundo.CommunicationException;
import io.hirundo.commmpi.internal.wire.Backoff;
import io.hirundo.commmpi.internal.wire.Wire;
import io.hirundo.mesh.Mesh;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** How ranks join: each tells all others its mesh, and waits for theirs. */
record Rendezvous(Wire wire, Mesh mesh, int timeoutSeconds) {
    private static final int TAG = 1;
    private static final int BYTES = 512;

    /**
     * @throws CommunicationException when a rank does not come within the deadline, or comes with another mesh
     */
    void exchange() {
        // Not closed after a failure: MPI may write to it still.
        Arena arena = Arena.ofShared();
        MemorySegment own = arena.allocate(BYTES);
        own.setString(0, mesh.sizes().toString());
        var texts = new TreeMap<Integer, MemorySegment>();
        var receiving = new TreeMap<Integer, Wire.Transmission>();
        var sending = new ArrayList<Wire.Transmission>();
        for (int peer = 0; peer < wire.size(); peer++) {
            if (peer != wire.rank()) {
                texts.put(peer, arena.allocate(BYTES));
                receiving.put(peer, wire.receive(texts.get(peer), peer, TAG));
                sending.add(wire.send(own, peer, TAG));
            }
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(timeoutSeconds);
        var backoff = new Backoff();
        while (!receiving.isEmpty() || !sending.isEmpty()) {
            receiving.values().removeIf(Wire.Transmission::hasEnded);
            sending.removeIf(Wire.Transmission::hasEnded);
            if (System.nanoTime() - deadline > 0) {
                throw overdue(List.copyOf(receiving.keySet()));
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new CommunicationException("rank " + wire.rank() + " was interrupted while ranks "
                        + receiving.keySet() + " had not joined");
            }
            backoff.pause();
        }
        requireSame(texts);
        arena.close();
    }

    private CommunicationException overdue(List<Integer> missing) {
        return new CommunicationException(
                "rank " + wire.rank() + ": joining the world of " + wire.size() + " ranks was ended: rank "
                        + wire.rank() + " waited " + timeoutSeconds + " s, but ranks " + missing + " did not join");
    }

    /** Rank 0's is the mesh, so that all name the same ranks. */
    private void requireSame(TreeMap<Integer, MemorySegment> texts) {
        String own = mesh.sizes().toString();
        String first = texts.containsKey(0) ? texts.get(0).getString(0) : own;
        if (!own.equals(first)) {
            throw different(wire.rank(), own, first);
        }
        texts.forEach((rank, text) -> {
            if (!text.getString(0).equals(first)) {
                throw different(rank, text.getString(0), first);
            }
        });
    }

    private static CommunicationException different(int rank, String mesh, String first) {
        return new CommunicationException("rank " + rank + ": joined with the mesh " + mesh + ", but rank 0 with "
                + first + "; give all ranks the same configuration");
    }
}
