package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.checkpointdcp.internal.format.DataFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a rank writes tensors in one save.
 *
 * @param own its data file, and the copy of it on another node where this rank can write that itself
 * @param received the copy of another rank's data file that comes by messages; null for none
 * @param receivedBytes length of that
 * @param isInMemory whether the manifest must say where the files are, and nothing need be synced
 */
public record Placement(List<Path> own, Path received, long receivedBytes, boolean isInMemory) {
    public Placement {
        own = List.copyOf(own);
    }

    /** One data file, in the folder of the save. */
    public static Placement onStorage(Path folder, int rank) {
        return new Placement(List.of(folder.resolve(DataFile.name(rank))), null, 0, false);
    }

    /** What the rank says of it; its own data file is the first. */
    List<DataFile> files(long ownBytes) {
        var files = new ArrayList<DataFile>();
        List<String> places = isInMemory ? own.stream().map(Path::toString).toList() : List.of();
        files.add(new DataFile(own.getFirst().getFileName().toString(), ownBytes, places));
        if (received != null) {
            files.add(new DataFile(received.getFileName().toString(), receivedBytes, List.of(received.toString())));
        }
        return files;
    }

    /** All that the rank writes. */
    List<Path> paths() {
        var paths = new ArrayList<Path>(own);
        if (received != null) {
            paths.add(received);
        }
        return paths;
    }
}
