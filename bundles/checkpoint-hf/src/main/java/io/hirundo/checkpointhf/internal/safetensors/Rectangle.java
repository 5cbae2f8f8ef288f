package io.hirundo.checkpointhf.internal.safetensors;

import io.hirundo.model.ParameterPart;
import io.hirundo.tensor.Shape;
import java.util.List;

/** A piece of a row-major tensor, as runs of elements that follow each other in both. */
public record Rectangle(Shape whole, List<Long> offset, Shape piece) {
  /** Receives a run: its first element in the whole and in the piece, and its length in elements. */
  @FunctionalInterface
  public interface RunConsumer {
    void accept(long wholeElement, long pieceElement, long elements);
  }

  public Rectangle {
    boolean fits = offset.size() == whole.rank() && piece.rank() == whole.rank();
    for (int dim = 0; fits && dim < whole.rank(); dim++) {
      fits = offset.get(dim) >= 0 && offset.get(dim) <= whole.dim(dim) - piece.dim(dim);
    }
    if (!fits) {
      throw new IllegalArgumentException("a piece " + piece + " at " + offset + " leaves the tensor " + whole);
    }
  }

  public static Rectangle of(ParameterPart part) {
    return new Rectangle(part.globalShape(), part.offset(), part.shape());
  }

  public void forEachRun(RunConsumer runs) {
    if (piece.elements() == 0) {
      return;
    }
    int runDim = whole.rank();
    long runElements = 1;
    boolean isWhole = true;
    while (isWhole && runDim > 0) {
      runDim--;
      runElements *= piece.dim(runDim);
      isWhole = piece.dim(runDim) == whole.dim(runDim);
    }
    for (long run = 0; run < piece.elements() / runElements; run++) {
      runs.accept(wholeElement(run, runDim), run * runElements, runElements);
    }
  }

  /** Where run number {@code run} begins, counted over the dimensions outside of {@code runDim}. */
  private long wholeElement(long run, int runDim) {
    long stride = 1;
    long element = 0;
    long left = run;
    for (int dim = whole.rank() - 1; dim >= 0; dim--) {
      long index = offset.get(dim);
      if (dim < runDim) {
        index += left % piece.dim(dim);
        left /= piece.dim(dim);
      }
      element += index * stride;
      stride *= whole.dim(dim);
    }
    return element;
  }
}
