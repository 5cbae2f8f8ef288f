package io.hirundo.checkpoint;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * A tensor to be written.
 *
 * @param path its published name
 * @param shape its extents
 * @param dtype of the values that {@code download} delivers and of the file
 * @param download fills host memory of {@code shape.byteSize(dtype)} bytes with the values
 */
public record ModelPart(String path, Shape shape, DType dtype, Consumer<MemorySegment> download) {}
