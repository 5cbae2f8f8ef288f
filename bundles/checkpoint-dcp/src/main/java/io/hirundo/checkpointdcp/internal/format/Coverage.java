package io.hirundo.checkpointdcp.internal.format;

import io.hirundo.CheckpointException;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.tensor.TensorSlice;
import io.hirundo.tensor.Shape;
import java.util.Comparator;
import java.util.List;

/** Whether the pieces of a tensor are the whole of it, each element once. */
final class Coverage {
    private Coverage() {}

    /** Rejects pieces that overlap or leave a gap; {@code where}: the manifest, for the message. */
    static void check(SavedTensor tensor, String where) {
        Shape whole = new Shape(tensor.shape());
        List<TensorSlice> pieces = tensor.shards().stream()
                .map(SavedShard::piece)
                .filter(piece -> piece.shape().elements() > 0)
                .toList();
        for (TensorSlice piece : pieces) {
            if (!piece.fits(whole)) {
                throw wrong(tensor, where, "a piece " + piece + " leaves it");
            }
        }
        if (whole.rank() > 0) {
            checkApart(
                    tensor,
                    where,
                    pieces.stream()
                            .sorted(Comparator.comparing(piece -> piece.offset().get(0)))
                            .toList());
        }
        long held = pieces.stream().mapToLong(piece -> piece.shape().elements()).reduce(0, Math::addExact);
        if (held != whole.elements()) {
            throw wrong(tensor, where, "its pieces hold " + held + " of " + whole.elements() + " elements");
        }
    }

    /** {@code pieces}: sorted by their first row. */
    private static void checkApart(SavedTensor tensor, String where, List<TensorSlice> pieces) {
        for (int i = 0; i < pieces.size(); i++) {
            TensorSlice piece = pieces.get(i);
            for (int j = i + 1; j < pieces.size() && pieces.get(j).offset().get(0) < piece.end(0); j++) {
                if (piece.overlaps(pieces.get(j))) {
                    throw wrong(tensor, where, "the pieces " + piece + " and " + pieces.get(j) + " overlap");
                }
            }
        }
    }

    private static CheckpointException wrong(SavedTensor tensor, String where, String what) {
        return new CheckpointException(where + " contradicts itself: tensor '" + Excerpt.of(tensor.key())
                + "' of shape " + new Shape(tensor.shape()) + ": " + what);
    }
}
