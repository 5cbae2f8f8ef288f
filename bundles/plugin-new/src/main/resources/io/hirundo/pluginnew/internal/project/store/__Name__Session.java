package __package__;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import java.util.zip.ZipException;

/** The copies of one run: a file {@code CHECKPOINT.zip} each, below a folder of the run. */
final class __Name__Session implements StoreSession {
    private static final String ARCHIVE = ".zip";
    private static final String UNFINISHED = ".part";

    private final Path root;
    private final Path folder;

    __Name__Session(Path root, String run) {
        this.root = root;
        this.folder = root.resolve(run);
    }

    @Override
    public String place() {
        return folder.toString();
    }

    /** Reads the indexes, not the contents. A damaged archive is not listed, so that it hides no other copy. */
    @Override
    public List<StoredCheckpoint> list() {
        requireRoot();
        var copies = new ArrayList<StoredCheckpoint>();
        try {
            for (Path file : entries(ARCHIVE)) {
                try {
                    __Name__Index index = __Name__Archive.index(file);
                    String name = file.getFileName().toString();
                    copies.add(new StoredCheckpoint(
                            name.substring(0, name.length() - ARCHIVE.length()), index.step(), index.bytes()));
                } catch (ZipException | EOFException | NoSuchFileException damage) {
                    continue; // get() says what is wrong with it.
                }
            }
        } catch (IOException e) {
            throw failure("read", e);
        }
        copies.sort(Comparator.comparingLong(StoredCheckpoint::step)
                .thenComparing(StoredCheckpoint::name)
                .reversed());
        return copies;
    }

    /**
     * Writes a hidden file, reads it back, and renames it: until then an older copy of the same name stays. An archive that was
     * interrupted begins again; a store of large checkpoints continues it file by file.
     */
    @Override
    public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
        requireRoot();
        String name = checkpoint.path().getFileName().toString();
        Path part = folder.resolve("." + name + UNFINISHED);
        try {
            Files.createDirectories(folder);
            for (Path leftover : entries(UNFINISHED)) {
                Files.delete(leftover);
            }
            try {
                __Name__Archive.write(checkpoint, part, doneBytes);
                __Name__Archive.verify(part);
                Files.move(part, archive(name), StandardCopyOption.ATOMIC_MOVE);
                sync(folder);
            } finally {
                Files.deleteIfExists(part);
            }
        } catch (IOException e) {
            throw failure("write", e);
        }
    }

    @Override
    public void get(StoredCheckpoint copy, Path into, LongConsumer doneBytes) {
        requireRoot();
        Path file = archive(copy.name());
        try {
            __Name__Archive.extract(file, into, doneBytes);
        } catch (ZipException | EOFException | NoSuchFileException damage) {
            throw new CheckpointException(
                    file + " is missing or damaged: " + Reason.of(damage) + "; use an older copy", damage);
        } catch (IOException e) {
            throw failure("read", e);
        }
    }

    @Override
    public void delete(StoredCheckpoint copy) {
        requireRoot();
        try {
            Files.deleteIfExists(archive(copy.name()));
            sync(folder);
        } catch (IOException e) {
            throw failure("delete from", e);
        }
    }

    /** Nothing is open between two calls. */
    @Override
    public void close() {}

    private Path archive(String name) {
        return folder.resolve(name + ARCHIVE);
    }

    private List<Path> entries(String end) throws IOException {
        if (Files.notExists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().endsWith(end))
                    .toList();
        }
    }

    /** Not created here: the folder of a disk that is not mounted would hide the copies. */
    private void requireRoot() {
        if (!Files.isDirectory(root)) {
            throw new ConfigurationException(
                    "checkpoint.store.options.path: there is no folder " + root + "; create it, or mount its disk");
        }
    }

    /** Names of files are then on the disk, as their contents are. */
    private static void sync(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder)) {
            channel.force(true);
        }
    }

    /** A failure that may pass: the trainer calls again. */
    private StoreException failure(String what, IOException e) {
        return new StoreException("cannot " + what + " " + folder + ": " + Reason.of(e), e);
    }
}
