package io.hirundo.trainer.internal.record;

import io.hirundo.BusyException;
import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.output.OutputFiles;
import io.hirundo.lib.run.section.RunSection;
import io.hirundo.train.RunFolder;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * A run's directory, held by a lock during the run. Everything that a run writes is below it. In a run of several processes
 * the one with rank 0 leads: it holds the lock for all, and writes files that do not belong to a single rank.
 */
public final class RunDirectory implements AutoCloseable {
    private static final int LARGEST_ENDED = 100;

    private final Path path;
    private final FileChannel lockChannel;

    /**
     * Creates the directory, or opens that of an earlier run.
     *
     * @param resume whether to continue an earlier run; otherwise there must be none
     * @throws BusyException when another process holds it
     */
    public static RunDirectory open(RunSection section, boolean resume) {
        Path path = pathOf(section);
        requireRegular(path);
        // Before the lock, so that a rejection changes nothing; and again under it, because another run may have
        // started.
        checkExists(path, resume);
        var directory = new RunDirectory(path, RunLock.take(path));
        try {
            checkExists(path, resume);
            return directory;
        } catch (ConfigurationException rejection) {
            directory.close();
            throw rejection;
        }
    }

    /**
     * The directory of a run that has ended or was stopped, for commands that read it.
     *
     * @param named the path as the user typed it
     * @throws BusyException while the run is active
     */
    public static RunDirectory ofEnded(Path folder, Path named) {
        try {
            return open(
                    new RunSection(
                            folder.getFileName().toString(), folder.getParent().toString()),
                    true);
        } catch (BusyException goesOn) {
            throw new BusyException(named + ": the run is active; wait for its end or stop it, then try again", goesOn);
        }
    }

    /** Creates or opens the directory of an earlier run, of which only remote copies may be left. */
    public static RunDirectory restored(RunSection section) {
        Path path = pathOf(section);
        requireRegular(path);
        return new RunDirectory(path, RunLock.take(path));
    }

    /** The directory of a run that another process leads and creates. */
    public static RunDirectory led(RunSection section) {
        return new RunDirectory(pathOf(section), null);
    }

    /** Runs before any open: opening a named pipe would block until its other end opens. */
    private static void requireRegular(Path path) {
        if (!Files.isDirectory(path)) {
            return;
        }
        Path configuration = path.resolve(RunFolder.CONFIGURATION);
        Path ended = path.resolve(RunFolder.ENDED);
        for (Path file : List.of(
                path.resolve(RunFolder.LOCK),
                configuration,
                AtomicFile.partOf(configuration),
                ended,
                AtomicFile.partOf(ended))) {
            try {
                InputFiles.requireRegular(file);
            } catch (NoSuchFileException free) {
                // It is created later.
            } catch (IOException failure) {
                throw new StorageException(
                        "run.directory: cannot write " + OutputFiles.explain(file, failure), failure);
            }
        }
    }

    private static void checkExists(Path path, boolean resume) {
        boolean exists = Files.exists(path.resolve(RunFolder.CONFIGURATION));
        if (exists && !resume) {
            throw new ConfigurationException(
                    "run.name: " + path + " holds a run already; continue it with --resume, or set another run.name");
        }
        if (!exists && resume) {
            throw new ConfigurationException(
                    "--resume: there is no run in " + path + " (no " + RunFolder.CONFIGURATION + ")");
        }
    }

    public static Path pathOf(RunSection section) {
        return Path.of(section.directory())
                .resolve(section.name())
                .toAbsolutePath()
                .normalize();
    }

    private RunDirectory(Path path, FileChannel lockChannel) {
        this.path = path;
        this.lockChannel = lockChannel;
    }

    /** Whether this process leads the run. */
    public boolean leads() {
        return lockChannel != null;
    }

    public Path path() {
        return path;
    }

    public Path checkpoints() {
        return path.resolve(RunFolder.CHECKPOINTS);
    }

    /** Folder of the exported model. */
    public Path model() {
        return path.resolve("model");
    }

    /** File of gradient and weight fingerprints. */
    public Path fingerprints() {
        return path.resolve("fingerprints.jsonl");
    }

    public Path log(int rank) {
        return path.resolve("rank-" + rank).resolve("log.txt");
    }

    /** Writes the configuration atomically, in the process that leads. */
    public void writeConfiguration(String json) {
        write(RunFolder.CONFIGURATION, json);
    }

    /** Records, in the process that leads, the checkpoint of another run that this one started from. */
    public void writeStart(String json) {
        write("started-from.json", json);
    }

    /** Records, in the process that leads, that the run ended after its last step and wrote all results. */
    public void writeEnd(long step) {
        write(RunFolder.ENDED, step + "\n");
    }

    /** The step after which the run last ended; empty if it did not. */
    public OptionalLong endedAt() {
        try {
            return OptionalLong.of(Long.parseLong(InputFiles.readString(path.resolve(RunFolder.ENDED), LARGEST_ENDED)
                    .strip()));
        } catch (NoSuchFileException | NumberFormatException none) {
            return OptionalLong.empty();
        } catch (IOException failure) {
            throw new StorageException(
                    "cannot read " + path.resolve(RunFolder.ENDED) + ": " + Reason.of(failure) + "; remove it",
                    failure);
        }
    }

    private void write(String name, String text) {
        if (!leads()) {
            return;
        }
        try {
            AtomicFile.write(path.resolve(name), text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw new StorageException("cannot write " + OutputFiles.explain(path.resolve(name), failure), failure);
        }
    }

    /** Releases the lock, and removes a directory in which no run began. */
    @Override
    public void close() {
        if (!leads()) {
            return;
        }
        try (lockChannel) {
            if (!Files.exists(path.resolve(RunFolder.CONFIGURATION))) {
                Files.deleteIfExists(path.resolve(RunFolder.LOCK));
                deleteIfEmpty(path);
            }
        } catch (IOException failure) {
            throw new StorageException("cannot release the lock of " + path + ": " + Reason.of(failure), failure);
        }
    }

    private static void deleteIfEmpty(Path folder) throws IOException {
        try {
            Files.deleteIfExists(folder);
        } catch (DirectoryNotEmptyException inUse) {
            // Not empty: the user's files, or another run that already uses the directory.
        }
    }
}
