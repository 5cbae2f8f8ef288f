package io.hirundo.checkpoint;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * A tensor to write.
 *
 * @param path its published name
 * @param shape its shape
 * @param dtype of the downloaded values and of the file
 * @param download fills {@code shape.byteSize(dtype)} bytes of host memory with the values
 */
public record ModelPart(String path, Shape shape, DType dtype, Consumer<MemorySegment> download) {}
