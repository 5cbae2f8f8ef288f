package io.hirundo.commmpi.internal.wire;

import java.lang.foreign.MemorySegment;

/**
 * Messages of bytes between processes, matched in order for each sender, receiver and tag. Nothing blocks but
 * {@link #separate}. Thread-safe.
 */
public interface Wire {
    /** A message on its way. Its memory must stay where it is until it has ended. */
    interface Transmission {
        /** Whether memory is the caller's again; asking also moves things on. */
        boolean hasEnded();
    }

    /** Of this process. */
    int rank();

    /** How many processes there are. */
    int size();

    /**
     * @param bytes native memory, of 2^31-1 bytes at most
     */
    Transmission send(MemorySegment bytes, int to, int tag);

    /** A message of exactly as many bytes. */
    Transmission receive(MemorySegment bytes, int from, int tag);

    /** The sender of a message with that tag that has come and that nobody asked for, or -1. */
    int caller(int tag);

    /** The same processes, whose messages are apart from all others. All of them call it. */
    Wire separate();
}
