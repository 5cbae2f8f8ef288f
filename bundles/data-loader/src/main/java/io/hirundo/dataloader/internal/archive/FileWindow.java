package io.hirundo.dataloader.internal.archive;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.Objects;

/** Bytes of a file from one position to another. Does not close the file. */
final class FileWindow extends InputStream {
    private final FileChannel file;
    private final long end;
    private long at;

    FileWindow(FileChannel file, long first, long end) {
        this.file = file;
        this.at = first;
        this.end = end;
    }

    /**
     * Some bytes, little-endian.
     *
     * @throws EOFException if the file has fewer
     */
    static ByteBuffer read(FileChannel file, long first, int bytes) throws IOException {
        var buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            if (file.read(buffer, first + buffer.position()) < 0) {
                throw new EOFException();
            }
        }
        return buffer.flip();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (at >= end) {
            return -1;
        }
        int count = file.read(ByteBuffer.wrap(bytes, offset, (int) Math.min(length, end - at)), at);
        at += Math.max(0, count);
        return count;
    }
}
