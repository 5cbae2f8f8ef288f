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
 * A run's folder in a memory file system of one node. It has a folder per rank, in that a folder per save, named by its id, and in that
 * data files. Ranks of the same node see each other's folders.
 */
public final class NodeMemory {
    private final Path root;
    private final FileOperations files;

    /**
     * Names the run's folder; creates nothing.
     *
     * @param directory of a file system in memory
     * @param checkpoints the run's folder of checkpoints, whose path makes the name unique
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

    /** The data file of rank {@code owner}, or its copy, in the folder of rank {@code holder}. */
    Path file(int holder, String id, int owner) {
        return folder(holder, id).resolve(DataFile.name(owner));
    }

    /** Creates a rank's folder for a save. */
    public void createFolder(int rank, String id) throws IOException {
        createPrivateFolder(root, folder(rank, id), files);
    }

    /** Whether the rank runs on this node: its folder for the save is visible here. */
    boolean isOnThisNode(int rank, String id) {
        return Files.isDirectory(folder(rank, id));
    }

    /** How many ranks of the save run on this node. */
    long ranksOnThisNode(String id) throws IOException {
        return entries(root).stream()
                .filter(rank -> Files.isDirectory(rank.resolve(id)))
                .count();
    }

    /** Bytes that the run can use on this node: free memory, and its own files. */
    long capacityBytes() throws IOException {
        long ownBytes = 0;
        for (Path rank : entries(root)) {
            for (Path save : entries(rank)) {
                ownBytes += entries(save).stream()
                        .mapToLong(file -> file.toFile().length())
                        .sum();
            }
        }
        return ownBytes + files.usableBytes(root);
    }

    /**
     * Deletes the data of all other saves on this node, of every rank, because a lost rank cannot delete its own.
     *
     * @param idsInUse called after the folders are listed, so that a save that begins at the same time is not deleted
     */
    public void deleteAllBut(Supplier<Set<String>> idsInUse) throws IOException {
        List<Path> ranks = entries(root);
        var saves = new ArrayList<Path>();
        for (Path rank : ranks) {
            saves.addAll(entries(rank));
        }
        if (saves.isEmpty()) {
            return;
        }
        Set<String> retained = idsInUse.get();
        saves.removeIf(save -> retained.contains(save.getFileName().toString()));
        for (Path save : saves) {
            files.deleteAll(save);
        }
        if (retained.isEmpty()) {
            for (Path rank : ranks) {
                deleteIfEmpty(rank);
            }
            deleteIfEmpty(root);
        }
    }

    /** Other ranks of this node may delete the folder, or use it again, at the same time. */
    private void deleteIfEmpty(Path path) throws IOException {
        try {
            files.delete(path);
        } catch (NoSuchFileException | DirectoryNotEmptyException e) {
            // Another rank has deleted it, or uses it.
        }
    }

    /** Deletes a data file of any run, whose path is as {@link #file} builds it, and its folders that are empty afterwards. */
    static void delete(Path file) throws IOException {
        Path parent = file.getParent();
        for (int level = 0; level < NodeMemoryPath.FOLDERS; level++) {
            RealFolders.require(parent);
            parent = parent.getParent();
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

    /** Creates the folder of a data file whose path is as {@link #file} builds it. */
    static void createFolderFor(Path file, FileOperations files) throws IOException {
        Path save = file.getParent();
        createPrivateFolder(save.getParent().getParent(), save, files);
    }

    /** Creates a folder that only the user can read, because the files hold the model. */
    private static void createPrivateFolder(Path root, Path save, FileOperations files) throws IOException {
        files.createFolder(root);
        RealFolders.require(root);
        if (Files.getFileStore(root).supportsFileAttributeView("posix")) {
            Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx------"));
        }
        files.createFolder(save);
        // The save's folder belongs to this user. If the root belongs to another, that user could replace the save's
        // folder.
        if (!Files.getOwner(root, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(save, LinkOption.NOFOLLOW_LINKS))) {
            throw new FileSystemException(
                    root.toString(), null, "belongs to another user; remove it, or give another memory.directory");
        }
    }

    /** The entries of a folder; none of a symbolic link, whose target does not belong to the run. */
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
