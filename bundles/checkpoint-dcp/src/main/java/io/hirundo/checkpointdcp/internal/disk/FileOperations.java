package io.hirundo.checkpointdcp.internal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** All that changes a disk, and what differs from node to node. Kept apart so that tests can stop or fail a save after each single operation. */
public interface FileOperations {
    /** A file being written. */
    interface Output extends Closeable {
        /** Writes all that the buffer has left. */
        void write(ByteBuffer bytes, long position) throws IOException;

        /** Returns when the contents survive a crash. */
        void sync() throws IOException;
    }

    /** Makes a folder, and those above it; one that is there is fine. */
    void createFolder(Path folder) throws IOException;

    /** A new file; fails where there is one. */
    Output createFile(Path file) throws IOException;

    /** Renames in one step; a file takes the place of another. */
    void rename(Path from, Path to) throws IOException;

    /** Makes one folder, in a folder that is there. Fails where there is anything of its name, a link too. */
    void createNewFolder(Path folder) throws IOException;

    /** Deletes a file, a link or an empty folder. */
    void delete(Path path) throws IOException;

    /** Deletes a file, a link, or a folder with its contents. Links go and are not followed; nothing there is fine. */
    void deleteAll(Path path) throws IOException;

    /** As {@link #createFile}, of a file system in memory. */
    default Output createInMemory(Path file) throws IOException {
        return createFile(file);
    }

    /** Whether there is such a file on this node. */
    default boolean isThere(Path file) {
        return Files.exists(file);
    }

    /** What can still be written to the file system that holds the folder. */
    default long usableBytes(Path folder) throws IOException {
        return Files.getFileStore(folder).getUsableSpace();
    }

    /** Returns when the names in the folder survive a crash. */
    void syncFolder(Path folder) throws IOException;
}
