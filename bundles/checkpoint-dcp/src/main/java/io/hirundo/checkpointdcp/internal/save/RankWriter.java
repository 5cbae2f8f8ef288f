package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import io.hirundo.checkpointdcp.internal.format.Manifest;
import io.hirundo.checkpointdcp.internal.format.ManifestText;
import io.hirundo.checkpointdcp.internal.store.SaveFolders;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes one rank's part of a save: its data files, and a part file with their manifest, which rank 0 merges with the others. */
public final class RankWriter {
    private final int rank;
    private final FileOperations files;
    private final ManifestText manifests;
    private final String createdBy;
    private DataFilePaths lastPaths;
    private boolean isPublished;

    public RankWriter(int rank, FileOperations files, ManifestText manifests, String createdBy) {
        this.rank = rank;
        this.files = files;
        this.manifests = manifests;
        this.createdBy = createdBy;
    }

    public static Path partFile(Path folder, int rank) {
        return folder.resolve("rank-%05d.part.json".formatted(rank));
    }

    /**
     * Writes the data files, and then the part file into the folder of the save. The data are synced, unless they stay in memory, before
     * a rename publishes the complete part file.
     */
    public void write(Path folder, DataFilePaths paths, RankPart part, Window.Source windows) throws IOException {
        isPublished = false;
        lastPaths = paths;
        List<String> checksums = writeData(paths, part.plan(), windows);
        var manifest = new Manifest(
                Manifest.Header.of(SaveFolders.idOf(folder), createdBy),
                part.step(),
                part.plan().chunkBytes(),
                part.values(),
                paths.files(part.plan().fileBytes()),
                part.plan().tensors(checksums));
        Path temporary = folder.resolve("rank-%05d.part.tmp".formatted(rank));
        try (FileOperations.Output output = files.createFile(temporary)) {
            output.write(ByteBuffer.wrap(manifests.write(manifest)), 0);
        }
        isPublished = true;
        files.rename(temporary, partFile(folder, rank));
    }

    /** Returns the checksums of the rank's own data file. Copies of peers have theirs in the peer's manifest. */
    private List<String> writeData(DataFilePaths paths, ShardPlan plan, Window.Source windows) throws IOException {
        var checksums = new Checksums(plan);
        try (DataOutputs outputs = DataOutputs.open(paths, files);
                var overlapped = new OverlappedChecksums(checksums)) {
            for (Window next = windows.next(); next != null; next = windows.next()) {
                try (Window window = next) {
                    if (window.isPeerData()) {
                        outputs.write(window);
                    } else {
                        overlapped.add(window, () -> outputs.write(window));
                    }
                }
            }
            if (!paths.isInMemory()) {
                outputs.sync();
            }
        }
        return checksums.ofEntries();
    }

    /** Deletes the data files of a failed write. After publication they stay: rank 0 may be committing them at this moment. */
    public void discard() throws IOException {
        if (isPublished || lastPaths == null) {
            return;
        }
        for (Path path : lastPaths.all()) {
            if (Files.exists(path)) {
                files.delete(path);
            }
        }
    }
}
