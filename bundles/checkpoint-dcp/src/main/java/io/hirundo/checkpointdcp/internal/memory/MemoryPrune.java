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
 * Deletes a checkpoint in memory from outside a run, on one node after the other. A file next to the manifest lists what is already deleted,
 * so that the last node knows that it may delete the manifest, too.
 */
public record MemoryPrune(SavedCheckpoint copy) {
    private static final int MOST_GONE_BYTES = 64 << 20;
    private static final String GONE = "pruned";

    private Stream<String> places() {
        return copy.manifest().files().stream().flatMap(file -> file.places().stream());
    }

    private List<String> here() {
        return places().filter(place -> Files.exists(Path.of(place))).toList();
    }

    private Path gone() {
        return copy.folder().resolve(GONE);
    }

    /** Of the data on this node. */
    public long bytesHere() {
        return here().stream()
                .mapToLong(place -> Path.of(place).toFile().length())
                .sum();
    }

    /** Whether no other node has data of it, as far as is known: some were never pruned, or have been restarted. */
    public boolean isAllHere() throws IOException {
        Set<String> known = new HashSet<>(here());
        if (Files.exists(gone())) {
            known.addAll(InputFiles.readString(gone(), MOST_GONE_BYTES).lines().toList());
        }
        return places().allMatch(known::contains);
    }

    /** Writes down that the data on this node are gone, and deletes them: after a failure between, those left are found once more. */
    public void deleteHere() throws IOException {
        List<String> here = here();
        Files.write(gone(), here, StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);
        for (String place : here) {
            NodeMemory.delete(Path.of(place));
        }
    }
}
