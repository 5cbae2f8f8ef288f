package io.hirundo.lib.files;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes all bytes, however many, and makes files and names survive a crash. {@link AtomicFile} replaces a file as one step. */
public final class DurableFile {
    /** Written at once: a buffer cannot hold more than an int counts. */
    private static final long BUFFER_BYTES = 64L << 20;

    private DurableFile() {}

    /** Writes a new file; returns when its contents survive a crash. */
    public static void write(Path file, byte[] bytes) throws IOException {
        create(file, bytes, bytes.length);
    }

    /** Writes a new file of {@code byteSize} bytes: those given, then zeros, which take no room yet. */
    public static void create(Path file, byte[] first, long byteSize) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            writeFully(channel, ByteBuffer.wrap(first), 0);
            if (byteSize > first.length) {
                channel.write(ByteBuffer.allocate(1), byteSize - 1);
            }
            channel.force(true);
        }
    }

    /** Writes what remains in the buffer at a position in the file: one call of the channel may write less. */
    public static void writeFully(FileChannel channel, ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += channel.write(bytes, at);
        }
    }

    /** Writes all bytes at a position in the file. */
    public static void writeFully(FileChannel channel, MemorySegment bytes, long position) throws IOException {
        for (long done = 0; done < bytes.byteSize(); done += BUFFER_BYTES) {
            writeFully(
                    channel,
                    bytes.asSlice(done, Math.min(BUFFER_BYTES, bytes.byteSize() - done))
                            .asByteBuffer(),
                    position + done);
        }
    }

    /** Writes what remains in the buffer where the channel is: at the end, if it was opened for appending. */
    public static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** Returns when the contents of a file that others wrote survive a crash. */
    public static void syncContents(Path file) throws IOException {
        sync(file, StandardOpenOption.WRITE);
    }

    /** Returns when the names in a folder survive a crash: files that were created, moved or deleted there. */
    public static void syncNames(Path folder) throws IOException {
        sync(folder, StandardOpenOption.READ);
    }

    private static void sync(Path path, OpenOption way) throws IOException {
        try (FileChannel channel = FileChannel.open(path, way)) {
            channel.force(true);
        }
    }
}
