package io.hirundo.checkpoint;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;

/**
 * A tensor of a model that is to be written, without its values.
 *
 * @param path its published name
 * @param shape its extents
 * @param dtype of the values and of the file
 */
public record ModelTensor(String path, Shape shape, DType dtype) {
  /** Of all its values. */
  public long byteSize() {
    return shape.byteSize(dtype);
  }
}
