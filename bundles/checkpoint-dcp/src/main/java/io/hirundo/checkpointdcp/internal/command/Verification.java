package io.hirundo.checkpointdcp.internal.command;

import io.hirundo.CheckpointException;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.checkpointdcp.internal.format.SavedShard;
import io.hirundo.checkpointdcp.internal.format.SavedTensor;
import io.hirundo.checkpointdcp.internal.load.ChunkReader;
import io.hirundo.command.Interruption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Reads all that a checkpoint's tensors are made of, in the order of the files, and holds it against the checksums. */
final class Verification {
    /** A piece and the tensor it belongs to. */
    private record Owned(String key, SavedShard shard) {}

    private final SavedCheckpoint checkpoint;

    Verification(SavedCheckpoint checkpoint) {
        this.checkpoint = checkpoint;
    }

    /** Of all pieces. */
    long bytes() {
        return pieces().stream()
                .mapToLong(piece -> piece.shard().place().byteLength())
                .sum();
    }

    /**
     * What is wrong, one line for each damaged piece; names files and tensors. Shows on a terminal how far it is.
     *
     * @throws java.util.concurrent.CancellationException when the user interrupts the command
     */
    List<String> problems(Interruption interruption) {
        var problems = new ArrayList<String>();
        var progress = new VerifyProgress(interruption, checkpoint.name().toString(), bytes());
        try (var chunks = new ChunkReader(checkpoint)) {
            for (Owned piece : pieces()) {
                try {
                    for (int chunk = 0; chunk < piece.shard().chunks(); chunk++) {
                        progress.add(chunks.check(piece.key(), piece.shard(), chunk));
                    }
                } catch (CheckpointException damage) {
                    problems.add(damage.getMessage());
                }
            }
        } finally {
            progress.end();
        }
        return problems;
    }

    private List<Owned> pieces() {
        var pieces = new ArrayList<Owned>();
        for (SavedTensor tensor : checkpoint.manifest().tensors()) {
            tensor.shards().forEach(shard -> pieces.add(new Owned(tensor.key(), shard)));
        }
        pieces.sort(
                Comparator.comparingInt((Owned piece) -> piece.shard().place().file())
                        .thenComparingLong(piece -> piece.shard().place().byteOffset()));
        return pieces;
    }
}
