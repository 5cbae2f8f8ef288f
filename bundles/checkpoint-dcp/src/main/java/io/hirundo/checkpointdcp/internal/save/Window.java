package io.hirundo.checkpointdcp.internal.save;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * A run of a data file's bytes, in host memory.
 *
 * @param begin its first byte in the file
 * @param isReceived whether it is of another rank's file, of which this one keeps a copy
 * @param release gives the memory back
 */
public record Window(long begin, MemorySegment bytes, boolean isReceived, Runnable release) implements AutoCloseable {
    /** The windows of a data file, in order. */
    @FunctionalInterface
    public interface Source {
        /** The next, which the caller closes; null behind the last. */
        Window next() throws IOException;
    }

    @Override
    public void close() {
        release.run();
    }
}
