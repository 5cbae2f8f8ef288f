package io.hirundo.monitor.internal.jsonl;

import io.hirundo.lib.files.DurableFile;
import io.hirundo.lib.output.OutputChannels;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Optional;

/**
 * An append-only file of lines. A partly written line never spoils the next one. If the file is deleted or replaced, it is
 * reopened under its name, because lines in an unlinked file are lost.
 */
final class MetricsFile implements AutoCloseable {
    private final Path path;
    private FileChannel channel;
    /** Inode of the open file; its path on file systems without inodes. */
    private Object key;

    private long wholeBytes;

    /** Opens or creates it. */
    MetricsFile(Path path) throws IOException {
        this.path = path;
        open();
    }

    private void open() throws IOException {
        channel = OutputChannels.write(path);
        key = keyOf(path).orElse(null);
        wholeBytes = channel.size();
    }

    Path path() {
        return path;
    }

    void writeLine(String line) throws IOException {
        if (!channel.isOpen()
                || keyOf(path).filter(present -> Objects.equals(present, key)).isEmpty()) {
            channel.close();
            open();
        }
        ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        int length = bytes.remaining();
        channel.truncate(wholeBytes);
        channel.position(wholeBytes);
        DurableFile.writeFully(channel, bytes);
        wholeBytes += length;
    }

    private static Optional<Object> keyOf(Path path) throws IOException {
        try {
            Object key = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey();
            return Optional.of(key == null ? path : key);
        } catch (NoSuchFileException deleted) {
            return Optional.empty();
        }
    }

    @Override
    public void close() throws IOException {
        if (!channel.isOpen()) {
            return;
        }
        try (var last = channel) {
            last.truncate(wholeBytes);
        }
    }
}
