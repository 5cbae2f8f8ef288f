package io.hirundo.storefolder.internal;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.StoreException;
import io.hirundo.lib.input.FileTooLargeException;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.IrregularFileException;
import io.hirundo.lib.store.CopyIndex;
import io.hirundo.lib.store.CopyIndex.CopiedFile;
import io.hirundo.lib.store.CopyNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run's folder in a store: {@code NAME.index}, and the files in {@code NAME.ID}. Distinguishes a damaged copy from an unreachable
 * store, which says nothing about the copies.
 */
final class CopyFolder {
    private static final Logger LOG = LoggerFactory.getLogger(CopyFolder.class);

    private final Path root;
    private final Path folder;

    /** {@code root}: the store's folder, which exists; {@code run}: the folder's name in it. */
    CopyFolder(Path root, String run) {
        this.root = root;
        this.folder = root.resolve(run);
    }

    Path path() {
        return folder;
    }

    /** By name, those whose files have the recorded lengths. */
    Map<String, CopyIndex> indexes() throws IOException {
        var indexes = new HashMap<String, CopyIndex>();
        for (String entry : entries()) {
            Optional<String> name = CopyNames.ofIndex(entry);
            if (name.isPresent()) {
                Path file = folder.resolve(entry);
                String text;
                try {
                    // An unreadable index is not a damaged copy: fail.
                    text = InputFiles.readString(file, CopyIndex.MAX_TEXT_BYTES);
                } catch (NoSuchFileException deleted) {
                    requireFolder("read", deleted);
                    continue;
                } catch (IrregularFileException | FileTooLargeException damage) {
                    LOG.warn("a remote copy is incomplete: {}", Reason.of(damage));
                    continue;
                }
                try {
                    CopyIndex index = CopyIndex.parse(text, file.toString());
                    requireLengths(data(name.get(), index), index);
                    indexes.put(name.get(), index);
                } catch (CheckpointException damage) {
                    LOG.warn("a remote copy is incomplete: {}", Reason.of(damage));
                }
            }
        }
        return indexes;
    }

    private void requireLengths(Path data, CopyIndex index) throws IOException {
        for (CopiedFile file : index.files()) {
            Path path = data.resolve(file.name());
            try {
                if (Files.size(path) != file.bytes()) {
                    throw new CheckpointException(path + " does not have " + file.bytes() + " bytes");
                }
            } catch (NoSuchFileException e) {
                requireFolder("read", e);
                throw new CheckpointException(path + " is missing", e);
            }
        }
    }

    CopyIndex index(String name) throws IOException {
        Path file = folder.resolve(CopyNames.index(name));
        return CopyIndex.parse(InputFiles.readString(file, CopyIndex.MAX_TEXT_BYTES), file.toString());
    }

    Path data(String name, CopyIndex index) {
        return folder.resolve(CopyNames.files(name, index));
    }

    List<String> entries() throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    void requireRoot() {
        if (!Files.isDirectory(root)) {
            throw new ConfigurationException(
                    "checkpoint.store.options.path: there is no folder " + root + "; create it, or mount its disk");
        }
    }

    void requireNoLink() {
        if (Files.isSymbolicLink(folder)) {
            throw new ConfigurationException("checkpoint.store.options.path: " + folder
                    + " is a symbolic link, through which nothing is copied; remove it, or give another run.name");
        }
    }

    /** A file operation. */
    interface Work<T> {
        T get() throws IOException;
    }

    <T> T guarded(String what, Work<T> work) {
        try {
            return work.get();
        } catch (NoSuchFileException missing) {
            requireFolder(what, missing);
            throw new CheckpointException(
                    "cannot " + what + " " + folder + ": " + missing.getFile() + " is missing", missing);
        } catch (IOException e) {
            throw failure(what, e);
        }
    }

    /** If all of the run's copies are gone, the disk was probably unmounted: this does not mean that any copy is damaged. */
    private void requireFolder(String what, NoSuchFileException missing) {
        if (!Files.isDirectory(folder)) {
            throw failure(what, missing);
        }
    }

    StoreException failure(String what, IOException e) {
        return new StoreException("cannot " + what + " " + folder + ": " + Reason.of(e), e);
    }
}
