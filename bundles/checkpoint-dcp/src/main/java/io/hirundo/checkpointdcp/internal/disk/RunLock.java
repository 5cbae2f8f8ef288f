package io.hirundo.checkpointdcp.internal.disk;

import io.hirundo.BusyException;
import io.hirundo.StorageException;
import io.hirundo.lib.output.OutputChannels;
import io.hirundo.lib.output.OutputFiles;
import io.hirundo.train.RunFolder;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The lock that a run holds on its folder until it ends. Commands that change a run's checkpoints take it. Checkpoints outside of a run's
 * folder belong to no run and need no lock.
 */
public final class RunLock implements AutoCloseable {
    /** Null where there is no run. */
    private final FileChannel channel;

    private RunLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes it.
     *
     * @param checkpoints a run's folder of checkpoints
     * @throws BusyException while the run is in progress
     * @throws StorageException if the lock cannot be opened, or is no regular file
     */
    public static RunLock of(Path checkpoints) throws IOException {
        Path run = checkpoints.getParent();
        if (run == null || !Files.exists(run.resolve(RunFolder.CONFIGURATION))) {
            return new RunLock(null);
        }
        FileChannel channel = open(run.resolve(RunFolder.LOCK));
        try {
            FileLock lock = tryLock(channel);
            if (lock == null) {
                throw new BusyException(
                        "the run in " + run
                                + " is in progress: wait for its end, or set keepLast and keepEvery of its checkpoint strategy");
            }
        } catch (IOException | RuntimeException failure) {
            channel.close();
            throw failure;
        }
        return new RunLock(channel);
    }

    private static FileChannel open(Path lock) {
        try {
            return OutputChannels.write(lock);
        } catch (IOException failure) {
            throw new StorageException("cannot write " + OutputFiles.explain(lock, failure), failure);
        }
    }

    private static FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException heldByThisProcess) {
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }
}
