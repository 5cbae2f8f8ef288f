package io.hirundo.lib.files;

import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.output.OutputFiles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.util.Set;

/** Replaces a file atomically: readers see the old contents or the new ones, even after a crash. */
public final class AtomicFile {
    private static final String PART = ".part";

    /** Writes the new contents. */
    @FunctionalInterface
    public interface Contents {
        /** Writes to a buffered stream and leaves it open. */
        void writeTo(OutputStream out) throws IOException;
    }

    private AtomicFile() {}

    /**
     * Checks, before the work, that {@link #write} can create or replace the file. Changes nothing.
     *
     * @throws IOException see {@link OutputFiles#requireFile}
     */
    public static void requireWritable(Path file) throws IOException {
        OutputFiles.requireFile(file);
        requireReplaceable(partOf(file));
    }

    /**
     * Writes the contents.
     *
     * @see #write(Path, Contents, FileAttribute[])
     */
    public static void write(Path file, byte[] contents, FileAttribute<?>... attributes) throws IOException {
        write(file, out -> out.write(contents), attributes);
    }

    /**
     * Writes {@code FILE.part} next to the file, syncs it, and renames it to the file. A symbolic link at either name is replaced,
     * never written through.
     *
     * @param file in an existing folder
     * @param attributes of the new file, for instance its permissions
     * @throws IOException if it cannot be written; the file is then unchanged, and the part is deleted
     */
    public static void write(Path file, Contents contents, FileAttribute<?>... attributes) throws IOException {
        write(file, partOf(file.toAbsolutePath()), contents, attributes);
    }

    /** As {@link #write(Path, Contents, FileAttribute[])}, with a part of another name in the same folder. */
    public static void write(Path file, Path part, Contents contents, FileAttribute<?>... attributes)
            throws IOException {
        requireReplaceable(part);
        Files.deleteIfExists(part);
        try {
            try (FileChannel channel = FileChannel.open(
                    part,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                    attributes)) {
                writeTo(channel, contents);
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
        DurableFile.syncNames(file.toAbsolutePath().getParent());
    }

    /**
     * As {@link #write(Path, Contents, FileAttribute[])}, for a file that several processes may write at the same time, each with the same
     * contents: a cache. Each writes a part under a name of its own, and the last one moved stays.
     *
     * @throws IOException if it cannot be written; no part is left
     */
    public static void writeShared(Path file, Contents contents) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        Path part = Files.createTempFile(folder, "", PART);
        try {
            try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
                writeTo(channel, contents);
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
        DurableFile.syncNames(folder);
    }

    private static void writeTo(FileChannel channel, Contents contents) throws IOException {
        var out = new BufferedOutputStream(Channels.newOutputStream(channel));
        contents.writeTo(out);
        out.flush();
        channel.force(true);
    }

    /** Path of the new contents until they are complete: {@code FILE.part}. */
    public static Path partOf(Path file) {
        return file.resolveSibling(file.getFileName() + PART);
    }

    /** A file or link at this path is left from a killed process; anything else is foreign. */
    private static void requireReplaceable(Path part) throws IOException {
        if (Files.exists(part, LinkOption.NOFOLLOW_LINKS) && !Files.isSymbolicLink(part)) {
            InputFiles.requireRegular(part);
        }
    }
}
