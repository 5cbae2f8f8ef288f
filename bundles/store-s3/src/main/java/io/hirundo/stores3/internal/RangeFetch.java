package io.hirundo.stores3.internal;

import io.hirundo.CheckpointException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.zip.CRC32C;

/** Downloads a part of an object and verifies its checksum. */
final class RangeFetch {
    private static final int BUFFER_BYTES = 1 << 18;
    private static final int ATTEMPTS = 3;

    private RangeFetch() {}

    /** Receives bytes before their checksum is verified. */
    interface Sink {
        /** {@code at}: offset in the object. */
        void take(byte[] buffer, int length, long at);
    }

    /**
     * Downloads a part; starts the part again if the connection breaks.
     *
     * @throws CheckpointException if the bytes are not those that were stored
     */
    static void require(Bucket bucket, String key, long offset, long bytes, int crc32c, Sink sink) {
        for (int attempt = 1; ; attempt++) {
            try {
                int found = read(bucket, key, offset, bytes, sink);
                if (found != crc32c) {
                    throw new CheckpointException(
                            key + " is damaged: the checksum of the part at " + offset + " is wrong");
                }
                return;
            } catch (IOException broken) {
                if (attempt == ATTEMPTS || Thread.currentThread().isInterrupted()) {
                    throw bucket.brokenOff(key, broken);
                }
            }
        }
    }

    private static int read(Bucket bucket, String key, long offset, long bytes, Sink sink) throws IOException {
        var crc = new CRC32C();
        byte[] buffer = new byte[BUFFER_BYTES];
        long done = 0;
        if (bytes > 0) {
            try (InputStream input = bucket.range(key, offset, bytes)) {
                for (int length = input.read(buffer); length >= 0; length = input.read(buffer)) {
                    if (Thread.currentThread().isInterrupted()) {
                        throw new InterruptedIOException("interrupted");
                    }
                    sink.take(buffer, length, offset + done);
                    crc.update(buffer, 0, length);
                    done += length;
                }
            }
        }
        if (done != bytes) {
            throw new CheckpointException(key + " is damaged: " + done + " of " + bytes + " bytes at " + offset);
        }
        return (int) crc.getValue();
    }
}
