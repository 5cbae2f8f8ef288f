package io.hirundo.checkpointdcp.internal.format;

import io.hirundo.tensor.Shape;
import java.util.List;

/**
 * A rectangle of a tensor.
 *
 * @param offset first element, one entry per dimension
 */
public record Piece(List<Long> offset, Shape shape) {
  /** Whether it lies within a tensor of this shape. */
  public boolean fits(Shape whole) {
    if (offset.size() != whole.rank() || shape.rank() != whole.rank()) {
      return false;
    }
    for (int dim = 0; dim < whole.rank(); dim++) {
      if (offset.get(dim) < 0 || offset.get(dim) > whole.dim(dim) - shape.dim(dim)) {
        return false;
      }
    }
    return true;
  }

  public boolean overlaps(Piece other) {
    for (int dim = 0; dim < shape.rank(); dim++) {
      if (Math.max(offset.get(dim), other.offset.get(dim)) >= Math.min(end(dim), other.end(dim))) {
        return false;
      }
    }
    return true;
  }

  /** Index behind the last, in one dimension. */
  long end(int dim) {
    return offset.get(dim) + shape.dim(dim);
  }

  @Override
  public String toString() {
    return shape + " at " + offset;
  }
}
