package io.hirundo.checkpointdcp.internal.memory;

import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.lib.input.InputFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Deletes a checkpoint in memory from outside a run, one node per call. A file next to the manifest lists the data files that are already
 * deleted, so that the call on the last node knows that it may delete the manifest, too.
 */
public record MemoryPrune(SavedCheckpoint copy) {
    private static final int MAX_LIST_BYTES = 64 << 20;
    private static final String LIST_OF_DELETED = "pruned";

    private Stream<String> paths() {
        return copy.manifest().files().stream().flatMap(file -> file.places().stream());
    }

    private List<String> localPaths() {
        return paths().filter(path -> Files.exists(Path.of(path))).toList();
    }

    private Path listOfDeleted() {
        return copy.folder().resolve(LIST_OF_DELETED);
    }

    /** Bytes of the data files on this node. */
    public long localBytes() {
        return localPaths().stream()
                .mapToLong(path -> Path.of(path).toFile().length())
                .sum();
    }

    /** Whether every data file is on this node or listed as deleted. A node that restarted has lost its files without listing them. */
    public boolean isLastNode() throws IOException {
        Set<String> known = new HashSet<>(localPaths());
        if (Files.exists(listOfDeleted())) {
            known.addAll(InputFiles.readString(listOfDeleted(), MAX_LIST_BYTES)
                    .lines()
                    .toList());
        }
        return paths().allMatch(known::contains);
    }

    /** Lists the data files on this node as deleted, then deletes them. After a failure in between, a second call finds the rest. */
    public void deleteLocal() throws IOException {
        List<String> paths = localPaths();
        Files.write(
                listOfDeleted(),
                paths,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND,
                LinkOption.NOFOLLOW_LINKS);
        for (String path : paths) {
            NodeMemory.delete(Path.of(path));
        }
    }
}
