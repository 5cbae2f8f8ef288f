package io.hirundo.lib.output;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Opens output files under names that Hirundo chose, in folders where other users may write. Rejects symbolic links, even if they
 * appear between the check and the open ({@code O_NOFOLLOW}), so that a planted link cannot redirect writes.
 */
public final class OutputChannels {
    private OutputChannels() {}

    /**
     * Opens a file for appending; creates it if it does not exist.
     *
     * @param attributes of a created file
     * @throws IOException see {@link #open}
     */
    public static FileChannel append(Path file, FileAttribute<?>... attributes) throws IOException {
        return open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND), attributes);
    }

    /**
     * Opens a file for writing from its start; creates it if it does not exist, and does not truncate it.
     *
     * @throws IOException see {@link #open}
     */
    public static FileChannel write(Path file, OpenOption... further) throws IOException {
        Set<OpenOption> options = new HashSet<>(List.of(further));
        options.add(StandardOpenOption.CREATE);
        options.add(StandardOpenOption.WRITE);
        return open(file, options);
    }

    /**
     * Opens a file.
     *
     * @throws io.hirundo.lib.input.IrregularFileException for a folder, a named pipe, a device or a socket
     * @throws UnwritableException for a symbolic link
     */
    private static FileChannel open(Path file, Set<OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        OutputFiles.requireOwnFile(file);
        Set<OpenOption> withoutLinks = new HashSet<>(options);
        withoutLinks.add(LinkOption.NOFOLLOW_LINKS);
        try {
            return FileChannel.open(file, withoutLinks, attributes);
        } catch (IOException failure) {
            throw OutputFiles.ofOpening(file, failure);
        }
    }
}
