package io.hirundo.checkpointtorch.internal.folder;

import io.hirundo.tensor.Shape;
import java.util.List;

/** A rectangle of a tensor: offset and shape. */
record DcpChunk(List<Long> offset, Shape shape) {
  /** The end along a dimension. */
  long end(int dim) {
    return offset.get(dim) + shape.dim(dim);
  }

  boolean overlaps(DcpChunk other) {
    for (int dim = 0; dim < shape.rank(); dim++) {
      if (other.offset.get(dim) >= end(dim) || offset.get(dim) >= other.end(dim)) {
        return false;
      }
    }
    return true;
  }
}
