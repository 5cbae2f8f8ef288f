package io.hirundo.checkpointdcp.internal;

import io.hirundo.CheckpointException;
import io.hirundo.tensor.Shape;
import java.util.Comparator;
import java.util.List;

/** Whether the pieces of a tensor are the whole of it, each element once. */
final class Coverage {
  private Coverage() {}

  /** Refuses pieces that overlap or leave a gap; names the tensor. */
  static void check(SavedTensor tensor) {
    Shape whole = new Shape(tensor.shape());
    List<Piece> pieces =
        tensor.shards().stream().map(SavedShard::piece).filter(piece -> piece.shape().elements() > 0).toList();
    for (Piece piece : pieces) {
      if (!piece.fits(whole)) {
        throw wrong(tensor, "a piece " + piece + " leaves it");
      }
    }
    if (whole.rank() > 0) {
      checkApart(tensor, pieces.stream().sorted(Comparator.comparing(piece -> piece.offset().get(0))).toList());
    }
    long held = pieces.stream().mapToLong(piece -> piece.shape().elements()).sum();
    if (held != whole.elements()) {
      throw wrong(tensor, "its pieces hold " + held + " of " + whole.elements() + " elements");
    }
  }

  /** {@code pieces}: sorted by their first row. */
  private static void checkApart(SavedTensor tensor, List<Piece> pieces) {
    for (int i = 0; i < pieces.size(); i++) {
      Piece piece = pieces.get(i);
      for (int j = i + 1; j < pieces.size() && pieces.get(j).offset().get(0) < piece.end(0); j++) {
        if (piece.overlaps(pieces.get(j))) {
          throw wrong(tensor, "the pieces " + piece + " and " + pieces.get(j) + " overlap");
        }
      }
    }
  }

  private static CheckpointException wrong(SavedTensor tensor, String what) {
    return new CheckpointException("tensor '" + tensor.key() + "' of shape " + new Shape(tensor.shape()) + ": " + what);
  }
}
