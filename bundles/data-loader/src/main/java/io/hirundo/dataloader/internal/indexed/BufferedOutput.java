package io.hirundo.dataloader.internal.indexed;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes little-endian values to a file, one after the other. */
final class BufferedOutput {
    private static final int BUFFER_BYTES = 1 << 18;

    private final OutputFile file;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final Seen seen;
    private long flushed;

    /** Gets the bytes that are written. */
    @FunctionalInterface
    interface Seen {
        /** The buffer must be left as it is. */
        void bytes(ByteBuffer written) throws IOException;
    }

    BufferedOutput(OutputFile file, long start) {
        this(file, start, _ -> {});
    }

    BufferedOutput(OutputFile file, long start, Seen seen) {
        this.seen = seen;
        this.file = file;
        this.flushed = start;
    }

    /** The buffer with room for this many bytes more, at most a thousand. */
    ByteBuffer room(int bytes) throws IOException {
        if (buffer.remaining() < bytes) {
            flush();
        }
        return buffer;
    }

    void flush() throws IOException {
        buffer.flip();
        int bytes = buffer.remaining();
        seen.bytes(buffer);
        file.write(buffer, flushed);
        flushed += bytes;
        buffer.clear();
    }
}
