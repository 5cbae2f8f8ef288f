package io.hirundo.stores3.internal;

import io.hirundo.CheckpointException;
import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.StoreException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import software.amazon.awssdk.core.sync.RequestBody;

/**
 * A part of a file to upload.
 *
 * @param offset of its first byte
 */
record FilePart(Path file, long offset, long bytes) {
    private static final int BUFFER_BYTES = 1 << 18;

    /** A body that can be read repeatedly: the SDK retries failed requests. */
    RequestBody body() {
        return RequestBody.fromContentProvider(this::open, bytes, "application/octet-stream");
    }

    int crc32c() {
        var crc = new CRC32C();
        read((buffer, length) -> crc.update(buffer, 0, length));
        return (int) crc.getValue();
    }

    /** The MD5 tag that servers without better checksums return. */
    String md5() {
        try {
            var digest = MessageDigest.getInstance("MD5");
            read((buffer, length) -> digest.update(buffer, 0, length));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has MD5", e);
        }
    }

    private interface Sink {
        void take(byte[] buffer, int length);
    }

    private void read(Sink sink) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream input = open()) {
            for (int length = input.read(buffer); length >= 0; length = input.read(buffer)) {
                sink.take(buffer, length);
            }
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private InputStream open() {
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
            channel.position(offset);
            return new Bounded(Channels.newInputStream(channel), bytes);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private HirundoException unreadable(IOException e) {
        boolean cutOff = e instanceof InterruptedIOException || e instanceof ClosedByInterruptException;
        return cutOff
                ? new StoreException("interrupted", e)
                : new CheckpointException(file + " cannot be read: " + Reason.of(e), e);
    }

    /** Ends after the part's bytes; fails if its thread is interrupted. */
    private static final class Bounded extends FilterInputStream {
        private long left;

        Bounded(InputStream input, long bytes) {
            super(input);
            this.left = bytes;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int at, int length) throws IOException {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted");
            }
            int count = left == 0 ? -1 : in.read(into, at, (int) Math.min(length, left));
            if (count > 0) {
                left -= count;
            }
            return count;
        }
    }
}
