package io.hirundo.lib.input;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Lines of a file from elsewhere, in bounded memory and, where no line ends, in bounded time: a sparse file may claim terabytes. */
public final class BoundedLines {
    private static final int BUFFER_BYTES = 1 << 16;

    /** How much of a line that is too long is skipped: what follows more than this cannot be a file of lines. */
    static final long MAX_SKIPPED_BYTES = 64L << 20;

    private BoundedLines() {}

    /** Takes the lines, one after the other. */
    @FunctionalInterface
    public interface LineReader {
        /**
         * Takes a line.
         *
         * @param line its bytes, without the newline; belongs to the reader
         */
        void read(byte[] line) throws IOException;
    }

    /**
     * Reads to the end of the stream, or until no line ends within 64 MiB. Only {@code \n} ends a line; an empty last line is none.
     *
     * @param in is not closed
     * @param maxBytes of a line, without the newline
     * @param tooLong runs in place of the reader for each longer line
     * @return whether it read to the end
     */
    public static boolean read(InputStream in, int maxBytes, LineReader reader, Runnable tooLong) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        var line = new ByteArrayOutputStream();
        long length = 0;
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            int begin = 0;
            for (int i = 0; i < count; i++) {
                if (buffer[i] == '\n') {
                    length += i - begin;
                    keep(line, buffer, begin, i, length, maxBytes);
                    end(line, length > maxBytes, reader, tooLong);
                    begin = i + 1;
                    length = 0;
                }
            }
            length += count - begin;
            keep(line, buffer, begin, count, length, maxBytes);
            if (length > maxBytes + MAX_SKIPPED_BYTES) {
                tooLong.run();
                return false;
            }
        }
        if (length > 0) {
            end(line, length > maxBytes, reader, tooLong);
        }
        return true;
    }

    private static void keep(ByteArrayOutputStream line, byte[] buffer, int begin, int end, long length, int maxBytes) {
        if (length <= maxBytes) {
            line.write(buffer, begin, end - begin);
        }
    }

    private static void end(ByteArrayOutputStream line, boolean isTooLong, LineReader reader, Runnable tooLong)
            throws IOException {
        if (isTooLong) {
            tooLong.run();
        } else {
            reader.read(line.toByteArray());
        }
        line.reset();
    }
}
