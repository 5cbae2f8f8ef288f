package io.hirundo.checkpointdcp.internal.disk;

import com.sun.nio.file.ExtendedOpenOption;
import io.hirundo.Reason;
import io.hirundo.lib.files.DurableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.BiConsumer;

/**
 * A file being written. Large runs of bytes go past the page cache where their memory, their place and the file system allow it: a
 * cache has no use for bytes that nobody reads soon, and its copies take processors and memory bandwidth from the training.
 */
public final class DiskOutput implements FileOperations.Output {
    /** Less than this is written sooner through the cache. */
    public static final int LEAST_DIRECT_BYTES = 256 << 10;

    private final Path file;
    private final BiConsumer<Path, String> notDirect;
    private final FileChannel cached;
    /** Null before the first large write, and where the file system has none. */
    private FileChannel direct;

    private int blockBytes;
    private boolean hasTried;

    private DiskOutput(Path file, FileChannel cached, BiConsumer<Path, String> notDirect) {
        this.file = file;
        this.cached = cached;
        this.notDirect = notDirect;
    }

    /**
     * Fails where there is such a file.
     *
     * @param notDirect is told why it is written through the cache, where it is
     */
    static DiskOutput create(Path file, BiConsumer<Path, String> notDirect) throws IOException {
        return new DiskOutput(
                file, FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), notDirect);
    }

    /** As {@link #create}, of a file in memory: there is no cache to go past. */
    static DiskOutput createInMemory(Path file) throws IOException {
        DiskOutput output = create(file, (path, why) -> {});
        output.hasTried = true;
        return output;
    }

    @Override
    public void write(ByteBuffer bytes, long position) throws IOException {
        long at = position;
        int directBytes = directBytes(bytes, position);
        if (directBytes > 0) {
            DurableFile.writeFully(direct, bytes.slice(bytes.position(), directBytes), at);
            at += directBytes;
            bytes.position(bytes.position() + directBytes);
        }
        DurableFile.writeFully(cached, bytes, at);
    }

    /** How many bytes from the buffer's beginning may go past the cache: whole blocks, from aligned memory to an aligned place. */
    private int directBytes(ByteBuffer bytes, long position) throws IOException {
        if (!bytes.isDirect() || bytes.remaining() < LEAST_DIRECT_BYTES) {
            return 0;
        }
        openDirect();
        boolean fits = direct != null
                && position % blockBytes == 0
                && bytes.alignmentOffset(bytes.position(), blockBytes) == 0;
        return fits ? bytes.remaining() / blockBytes * blockBytes : 0;
    }

    private void openDirect() throws IOException {
        if (hasTried) {
            return;
        }
        hasTried = true;
        try {
            blockBytes = Math.toIntExact(Files.getFileStore(file).getBlockSize());
            direct = FileChannel.open(
                    file, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT, LinkOption.NOFOLLOW_LINKS);
        } catch (UnsupportedOperationException | IOException none) {
            // A file in memory, for instance. What is written is the same.
            notDirect.accept(file, Reason.of(none));
        }
    }

    /** Whether something was written past the page cache. */
    boolean isDirect() {
        return direct != null;
    }

    /** Both ways lead to one file. */
    @Override
    public void sync() throws IOException {
        cached.force(true);
    }

    @Override
    public void close() throws IOException {
        try (FileChannel _ = direct) {
            cached.close();
        }
    }
}
