package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.checkpointdcp.internal.format.DataFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The paths to which a rank writes tensor data in one save.
 *
 * @param own its data file, and the second copy of it if this rank can write that itself
 * @param peerCopy the copy of another rank's data file, whose bytes that rank sends; null for none
 * @param peerCopyBytes length of that copy
 * @param isInMemory whether the manifest lists the paths, and nothing is synced
 */
public record DataFilePaths(List<Path> own, Path peerCopy, long peerCopyBytes, boolean isInMemory) {
    public DataFilePaths {
        own = List.copyOf(own);
    }

    /** One data file, in the folder of the save. */
    public static DataFilePaths onStorage(Path folder, int rank) {
        return new DataFilePaths(List.of(folder.resolve(DataFile.name(rank))), null, 0, false);
    }

    /** Files in memory, without a copy for another rank. */
    public static DataFilePaths inMemory(List<Path> own) {
        return inMemory(own, null, 0);
    }

    /** Files in memory, and a copy for another rank. */
    public static DataFilePaths inMemory(List<Path> own, Path peerCopy, long peerCopyBytes) {
        return new DataFilePaths(own, peerCopy, peerCopyBytes, true);
    }

    /** The entries of the rank's manifest. The first is its own data file, to which the shards' file index 0 refers. */
    List<DataFile> files(long ownBytes) {
        var files = new ArrayList<DataFile>();
        List<String> paths = isInMemory ? own.stream().map(Path::toString).toList() : List.of();
        files.add(new DataFile(own.getFirst().getFileName().toString(), ownBytes, paths));
        if (peerCopy != null) {
            files.add(new DataFile(peerCopy.getFileName().toString(), peerCopyBytes, List.of(peerCopy.toString())));
        }
        return files;
    }

    /** All files that the rank writes. */
    List<Path> all() {
        var all = new ArrayList<Path>(own);
        if (peerCopy != null) {
            all.add(peerCopy);
        }
        return all;
    }
}
