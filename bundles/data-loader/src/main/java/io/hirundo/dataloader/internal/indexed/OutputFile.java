package io.hirundo.dataloader.internal.indexed;

import io.hirundo.BusyException;
import io.hirundo.lib.files.DurableFile;
import io.hirundo.lib.output.OutputChannels;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file that is being written: as much of one as a dataset needs, so that a test can put a full disk in its place. */
interface OutputFile extends Closeable {
    /** Writes all that remains in the buffer at the position in the file. */
    void write(ByteBuffer buffer, long at) throws IOException;

    /** Reads until the buffer is full. */
    void read(ByteBuffer buffer, long at) throws IOException;

    /** Returns when everything is on the disk. */
    void force() throws IOException;

    /** Makes output files. */
    @FunctionalInterface
    interface Opener {
        OutputFile open(Path file) throws IOException;
    }

    /**
     * Opens a file for this process alone and empties it.
     *
     * @throws BusyException when another process is writing it
     */
    static OutputFile open(Path file) throws IOException {
        var channel = OutputChannels.write(file, StandardOpenOption.READ);
        try {
            // Gone although just opened: the other process has finished, and what is open here is its dataset.
            if (!isMine(channel) || Files.notExists(file)) {
                throw new BusyException(
                        file + " is being written by another process: wait until it is done, or write elsewhere");
            }
            channel.truncate(0);
            return new OfChannel(channel);
        } catch (IOException | RuntimeException failure) {
            channel.close();
            throw failure;
        }
    }

    private static boolean isMine(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** The real thing. */
    record OfChannel(FileChannel channel) implements OutputFile {
        @Override
        public void write(ByteBuffer buffer, long at) throws IOException {
            DurableFile.writeFully(channel, buffer, at);
        }

        @Override
        public void read(ByteBuffer buffer, long at) throws IOException {
            long position = at;
            while (buffer.hasRemaining()) {
                int bytes = channel.read(buffer, position);
                if (bytes < 0) {
                    throw new IOException("ends at byte " + position);
                }
                position += bytes;
            }
        }

        @Override
        public void force() throws IOException {
            channel.force(true);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
