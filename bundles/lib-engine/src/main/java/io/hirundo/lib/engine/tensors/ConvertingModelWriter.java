package io.hirundo.lib.engine.tensors;

import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.lib.tensor.FloatConversion;
import io.hirundo.lib.tensor.StoredFloat;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Converts values to another data type while writing: widening is exact, narrowing rounds to nearest even.
 *
 * @param writing takes values of type {@code to}
 */
public record ConvertingModelWriter(ModelWriting writing, DType from, DType to) implements ModelWriting {
    /** The writing itself if both types are equal. */
    public static ModelWriting of(ModelWriting writing, DType from, DType to) {
        return from == to ? writing : new ConvertingModelWriter(writing, from, to);
    }

    @Override
    public void create() {
        writing.create();
    }

    @Override
    public void write(ParameterPart part, MemorySegment values) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment converted = arena.allocate(part.shape().byteSize(to), 64);
            new FloatConversion(values, stored(from), converted, to)
                    .convert(0, 0, part.shape().elements());
            writing.write(part, converted);
        }
    }

    private static StoredFloat stored(DType dtype) {
        return switch (dtype) {
            case FP64 -> StoredFloat.F64;
            case FP32 -> StoredFloat.F32;
            case BF16 -> StoredFloat.BF16;
            case INT32, FP8_E4M3, FP8_E5M2 -> throw new IllegalArgumentException("parameters of type " + dtype);
        };
    }

    @Override
    public void flush() {
        writing.flush();
    }

    @Override
    public void commit(Consumer<ModelReader> check) {
        writing.commit(check);
    }

    @Override
    public void close() {
        writing.close();
    }
}
