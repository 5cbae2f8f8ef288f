package io.hirundo.storefolder.internal;

import io.hirundo.HirundoException;
import io.hirundo.lib.files.Folders;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.store.CopyIndex;
import io.hirundo.lib.store.CopyIndex.CopiedFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;

/** Copies, syncs and checksums files. An interrupt ends the work with an {@link IOException}. */
final class CopyFiles {
    private static final int BUFFER_BYTES = 1 << 20;

    private CopyFiles() {}

    /** Checksums all files of a folder. */
    static CopyIndex index(Path folder, long step) throws IOException {
        var files = new ArrayList<CopiedFile>();
        for (Path file : Folders.files(folder)) {
            files.add(read(file, Folders.name(folder, file), OutputStream.nullOutputStream(), done -> {}));
        }
        return new CopyIndex(step, CopyIndex.WHOLE_FILES, files);
    }

    /** Whether the file has these contents and is no link; reads it only if its length matches. */
    static boolean has(Path folder, CopiedFile file) throws IOException {
        Path path = folder.resolve(file.name());
        return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                && Files.size(path) == file.bytes()
                && read(path, file.name(), OutputStream.nullOutputStream(), done -> {})
                        .equals(file);
    }

    /**
     * Copies and syncs a file; returns the checksum of what it read.
     *
     * @param done receives the number of bytes written
     * @param unwritable converts a write failure, not a read failure
     */
    static CopiedFile copy(
            Path from, Path to, String name, LongConsumer done, Function<IOException, HirundoException> unwritable)
            throws IOException {
        try (var target = new Target(to, to.resolve(name), unwritable)) {
            CopiedFile read = read(from.resolve(name), name, target, done);
            target.sync();
            return read;
        }
    }

    private static CopiedFile read(Path file, String name, OutputStream into, LongConsumer done) throws IOException {
        var crc = new CRC32C();
        var buffer = ByteBuffer.allocate(BUFFER_BYTES);
        long bytes = 0;
        InputFiles.requireRegular(file);
        try (FileChannel input = FileChannel.open(file, StandardOpenOption.READ)) {
            while (input.read(buffer.clear()) >= 0) {
                crc.update(buffer.array(), 0, buffer.position());
                into.write(buffer.array(), 0, buffer.position());
                bytes += buffer.position();
                done.accept(bytes);
            }
        }
        return new CopiedFile(name, bytes, List.of((int) crc.getValue()));
    }
}
