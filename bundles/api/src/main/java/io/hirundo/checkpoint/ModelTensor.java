package io.hirundo.checkpoint;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;

/**
 * Name, shape and dtype of a tensor to write.
 *
 * @param path its published name
 * @param shape its shape
 * @param dtype of the values and of the file
 */
public record ModelTensor(String path, Shape shape, DType dtype) {
    /** Bytes of all values. */
    public long byteSize() {
        return shape.byteSize(dtype);
    }
}
