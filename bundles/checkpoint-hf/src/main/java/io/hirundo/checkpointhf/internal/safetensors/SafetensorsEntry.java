package io.hirundo.checkpointhf.internal.safetensors;

import io.hirundo.tensor.Shape;

/**
 * A tensor in a safetensors file.
 *
 * @param name published name
 * @param begin first byte, from the start of the data
 * @param end byte behind the last
 */
public record SafetensorsEntry(String name, StoredType type, Shape shape, long begin, long end) {
    /** Bytes that shape and type ask for, rounded up for types below a byte; throws ArithmeticException past a long. */
    long expectedBytes() {
        return Math.ceilDiv(Math.multiplyExact(shape.elements(), type.bits()), Byte.SIZE);
    }
}
