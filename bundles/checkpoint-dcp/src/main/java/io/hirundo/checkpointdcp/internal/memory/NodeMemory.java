package io.hirundo.checkpointdcp.internal.memory;

import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import io.hirundo.checkpointdcp.internal.format.NodeMemoryPath;
import io.hirundo.lib.files.RealFolders;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What a run keeps in the memory of one node: a folder for each rank, in it one for each save, by its id, and in that data files. Ranks
 * of one node see each other's folders.
 */
public final class NodeMemory {
    private final Path root;
    private final FileOperations files;

    /**
     * A run's own folder.
     *
     * @param directory of a file system in memory
     * @param checkpoints the run's folder of checkpoints, by which runs are told apart
     */
    public NodeMemory(Path directory, Path checkpoints, FileOperations files) {
        Path run = checkpoints.toAbsolutePath().normalize();
        String name = run.getNameCount() < 2
                ? "run"
                : run.getName(run.getNameCount() - 2).toString();
        this.root = directory
                .toAbsolutePath()
                .normalize()
                .resolve("hirundo-%s-%08x".formatted(name, run.toString().hashCode()));
        this.files = files;
    }

    public Path root() {
        return root;
    }

    private Path folder(int rank, String id) {
        return root.resolve("rank-%05d".formatted(rank)).resolve(id);
    }

    /** Where a rank holds the data of a rank, itself or another. */
    Path file(int holder, String id, int owner) {
        return folder(holder, id).resolve(DataFile.name(owner));
    }

    /** A rank's folder for a save. */
    public void make(int rank, String id) throws IOException {
        makePrivate(root, folder(rank, id), files);
    }

    /** Whether the rank shares this node's memory: its folder for the save is here. */
    boolean sees(int rank, String id) {
        return Files.isDirectory(folder(rank, id));
    }

    /** Ranks that do. */
    long ranksThatSave(String id) throws IOException {
        return entries(root).stream()
                .filter(rank -> Files.isDirectory(rank.resolve(id)))
                .count();
    }

    /** What the run may have here: what is free, and what it holds. */
    long roomBytes() throws IOException {
        long held = 0;
        for (Path rank : entries(root)) {
            for (Path save : entries(rank)) {
                held += entries(save).stream()
                        .mapToLong(file -> file.toFile().length())
                        .sum();
            }
        }
        return held + files.usableBytes(root);
    }

    /**
     * Deletes the data of all saves but these, of whatever rank: those that are gone delete nothing themselves.
     *
     * @param idsInUse asked after a look at what is there, so that what begins meanwhile is not touched
     */
    public void sweep(Supplier<Set<String>> idsInUse) throws IOException {
        List<Path> ranks = entries(root);
        var saves = new ArrayList<Path>();
        for (Path rank : ranks) {
            saves.addAll(entries(rank));
        }
        if (saves.isEmpty()) {
            return;
        }
        Set<String> kept = idsInUse.get();
        saves.removeIf(save -> kept.contains(save.getFileName().toString()));
        for (Path save : saves) {
            files.deleteAll(save);
        }
        if (kept.isEmpty()) {
            for (Path rank : ranks) {
                sweep(rank);
            }
            sweep(root);
        }
    }

    /** Another rank of this node may do the same at the same time. */
    private void sweep(Path path) throws IOException {
        try {
            files.delete(path);
        } catch (NoSuchFileException | DirectoryNotEmptyException another) {
            // It has gone, or is in use again.
        }
    }

    /** Deletes a file as {@link #file} names it, whatever run it is of, and the folders up to the run's own that are empty then. */
    static void delete(Path file) throws IOException {
        Path above = file.getParent();
        for (int level = 0; level < NodeMemoryPath.FOLDERS; level++) {
            RealFolders.require(above);
            above = above.getParent();
        }
        Files.deleteIfExists(file);
        Path folder = file.getParent();
        for (int level = 0; level < NodeMemoryPath.FOLDERS; level++) {
            try {
                Files.deleteIfExists(folder);
            } catch (DirectoryNotEmptyException inUse) {
                return;
            }
            folder = folder.getParent();
        }
    }

    /** Makes the folder of a file as {@link #file} names it. */
    static void makeFor(Path file, FileOperations files) throws IOException {
        Path save = file.getParent();
        makePrivate(save.getParent().getParent(), save, files);
    }

    /** Only the user may look into what a run keeps: it holds the model. */
    private static void makePrivate(Path root, Path save, FileOperations files) throws IOException {
        files.createFolder(root);
        RealFolders.require(root);
        if (Files.getFileStore(root).supportsFileAttributeView("posix")) {
            Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx------"));
        }
        files.createFolder(save);
        // The folder of the save is this user's; whoever owns the root may replace it at any time.
        if (!Files.getOwner(root, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(save, LinkOption.NOFOLLOW_LINKS))) {
            throw new FileSystemException(
                    root.toString(), null, "belongs to another user; remove it, or give another memory.directory");
        }
    }

    /** None of a link: what it points to is not the run's. */
    private static List<Path> entries(Path folder) throws IOException {
        if (Files.isSymbolicLink(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }
}
