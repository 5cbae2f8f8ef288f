package io.hirundo.checkpointdcp.internal.disk;

import io.hirundo.lib.files.Deletion;
import io.hirundo.lib.files.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file system, as a session of checkpoints uses it. */
public final class DiskOperations implements FileOperations {
    private static final Logger LOG = LoggerFactory.getLogger(DiskOperations.class);

    private final BiConsumer<Path, String> notDirect;

    public DiskOperations() {
        this((file, why) ->
                LOG.info("{}, and what else is saved there, is written through the page cache: {}", file, why));
    }

    /** {@code notDirect}: called once, for the first file that cannot bypass the page cache. */
    DiskOperations(BiConsumer<Path, String> notDirect) {
        var hasWarned = new AtomicBoolean();
        this.notDirect = (file, why) -> {
            if (!hasWarned.getAndSet(true)) {
                notDirect.accept(file, why);
            }
        };
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        Files.createDirectories(folder);
    }

    @Override
    public Output createFile(Path file) throws IOException {
        return DiskOutput.create(file, notDirect);
    }

    @Override
    public Output createInMemory(Path file) throws IOException {
        return DiskOutput.createInMemory(file);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(Path path) throws IOException {
        Files.delete(path);
    }

    @Override
    public void createNewFolder(Path folder) throws IOException {
        Files.createDirectory(folder);
    }

    @Override
    public void deleteAll(Path path) throws IOException {
        Deletion.delete(path);
    }

    @Override
    public void syncFolder(Path folder) throws IOException {
        DurableFile.syncNames(folder);
    }
}
