package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import io.hirundo.checkpointdcp.internal.format.Manifest;
import io.hirundo.checkpointdcp.internal.format.ManifestText;
import io.hirundo.checkpointdcp.internal.store.SaveFolders;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** One rank's share of a save: its data, and a manifest of what is in it for rank 0 to put together. */
public final class RankWriter {
    private final int rank;
    private final FileOperations files;
    private final ManifestText manifests;
    private final String createdBy;
    private Placement placement;
    private boolean mayBeSeen;

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
     * Writes data where they belong, and what they are into the folder of a save under way. The data are on disk, or in memory, before
     * the part can be seen, which appears whole.
     */
    public void write(Path folder, Placement where, RankState share, Window.Source windows) throws IOException {
        mayBeSeen = false;
        placement = where;
        var checksums = new Checksums(share.plan());
        try (DataOutputs outputs = DataOutputs.open(where, files);
                var sums = new OverlappedChecksums(checksums)) {
            for (Window next = windows.next(); next != null; next = windows.next()) {
                try (Window window = next) {
                    if (window.isReceived()) {
                        outputs.write(window);
                    } else {
                        sums.add(window, () -> outputs.write(window));
                    }
                }
            }
            if (!where.isInMemory()) {
                outputs.sync();
            }
        }
        var part = new Manifest(
                Manifest.Header.of(SaveFolders.idOf(folder), createdBy),
                share.step(),
                share.plan().chunkBytes(),
                share.values(),
                where.files(share.plan().fileBytes()),
                share.plan().tensors(checksums.ofEntries()));
        Path fresh = folder.resolve("rank-%05d.part.tmp".formatted(rank));
        try (FileOperations.Output output = files.createFile(fresh)) {
            output.write(ByteBuffer.wrap(manifests.write(part)), 0);
        }
        mayBeSeen = true;
        files.rename(fresh, partFile(folder, rank));
    }

    /** Makes room where the last write has failed. What rank 0 may be committing at this moment stays. */
    public void discard() throws IOException {
        if (mayBeSeen || placement == null) {
            return;
        }
        for (Path path : placement.paths()) {
            if (Files.exists(path)) {
                files.delete(path);
            }
        }
    }
}
