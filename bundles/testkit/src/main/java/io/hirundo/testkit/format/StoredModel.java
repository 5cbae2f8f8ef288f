package io.hirundo.testkit.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.testkit.scalar.value.HostValues;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Compares stored models, whole and in pieces, with what a contract's test class offers. */
final class StoredModel {
    private final ModelFormatOffer offer;

    StoredModel(ModelFormatOffer offer) {
        this.offer = offer;
    }

    static ModelPart part(String path, Shape shape, DType dtype, double[] values) {
        return new ModelPart(path, shape, dtype, host -> HostValues.write(host, dtype, values));
    }

    /** Compares architecture, names, and all values of a model that is stored in this dtype. */
    void requireSame(ModelReader reader, int seed, DType stored) {
        requireSame(reader, seed, stored, stored);
    }

    /** Compares with conversion: the values, rounded to the dtype that is stored, then to the one that is read. */
    void requireSame(ModelReader reader, int seed, DType stored, DType dtype) {
        assertEquals(offer.architecture(), reader.architecture(), "architecture");
        assertEquals(offer.tensors().keySet(), Set.copyOf(reader.paths()), "names of tensors");
        offer.tensors()
                .forEach((path, shape) -> requireSame(reader, ParameterPart.whole(path, shape), seed, stored, dtype));
    }

    void requireSame(ModelReader reader, ParameterPart part, int seed, DType stored, DType dtype) {
        boolean ignores = !offer.format().isWritable();
        double[] expected = Arrays.stream(cut(part, seed))
                .map(value -> HostValues.rounded(dtype, ignores ? value : HostValues.rounded(stored, value)))
                .toArray();
        assertArrayEquals(
                expected,
                read(reader, part, dtype),
                () -> part.path() + " " + part.shape() + " at " + part.offset() + " in " + dtype);
    }

    static double[] read(ModelReader reader, ParameterPart part, DType dtype) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(part.shape().byteSize(dtype), 8);
            reader.read(part, dtype, host);
            return HostValues.read(host, dtype, Math.toIntExact(part.shape().elements()));
        }
    }

    /** The values of a slice, row-major. */
    private double[] cut(ParameterPart part, int seed) {
        double[] whole = offer.values(part.path(), seed);
        double[] values = new double[Math.toIntExact(part.shape().elements())];
        for (int i = 0; i < values.length; i++) {
            long left = i;
            long stride = 1;
            long element = 0;
            for (int dim = part.shape().rank() - 1; dim >= 0; dim--) {
                element += (part.offset().get(dim) + left % part.shape().dim(dim)) * stride;
                left /= part.shape().dim(dim);
                stride *= part.globalShape().dim(dim);
            }
            values[i] = whole[Math.toIntExact(element)];
        }
        return values;
    }

    /** Slices that cover every element once. */
    List<ParameterPart> pieces(Random random) {
        var pieces = new ArrayList<ParameterPart>();
        offer.tensors().forEach((path, shape) -> cut(pieces, ParameterPart.whole(path, shape), random));
        return pieces;
    }

    private static void cut(List<ParameterPart> pieces, ParameterPart part, Random random) {
        int dim = random.nextInt(part.shape().rank());
        long extent = part.shape().dim(dim);
        if (extent < 2 || random.nextInt(4) == 0) {
            pieces.add(part);
            return;
        }
        long first = 1 + random.nextLong(extent - 1);
        cut(pieces, part.narrow(dim, 0, first), random);
        cut(pieces, part.narrow(dim, first, extent - first), random);
    }

    static void requireLine(RuntimeException failure, String part) {
        String message = String.valueOf(failure.getMessage());
        assertTrue(
                message.contains(part) && !message.contains("\n"),
                () -> "not one line that names " + part + ": " + message);
    }

    void write(ModelWriting writing, ParameterPart part, DType dtype, int seed) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(part.shape().byteSize(dtype), 8);
            HostValues.write(host, dtype, cut(part, seed));
            writing.write(part, host);
        }
    }
}
