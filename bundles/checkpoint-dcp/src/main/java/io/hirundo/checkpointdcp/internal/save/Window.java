package io.hirundo.checkpointdcp.internal.save;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * A contiguous range of a data file's bytes, in a staging buffer in host memory.
 *
 * @param begin offset of its first byte in the file
 * @param isPeerData whether the file is this rank's copy of another rank's data file
 * @param release returns the buffer
 */
public record Window(long begin, MemorySegment bytes, boolean isPeerData, Runnable release) implements AutoCloseable {
    /** The windows of a data file, in the order of their offsets. */
    @FunctionalInterface
    public interface Source {
        /** The next window, which the caller closes; null after the last. */
        Window next() throws IOException;
    }

    @Override
    public void close() {
        release.run();
    }
}
