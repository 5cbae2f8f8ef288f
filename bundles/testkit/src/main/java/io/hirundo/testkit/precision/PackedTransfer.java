package io.hirundo.testkit.precision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.precision.MessageCoding;
import io.hirundo.precision.PackedOperand;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Guarded;
import io.hirundo.testkit.bench.Matrices;
import io.hirundo.testkit.bench.Normals;

/** Packs and unpacks a transfer. */
final class PackedTransfer {
    private PackedTransfer() {}

    /** Packs twice into the same memory, and compares the values of the second time. */
    static void requireRoundTrip(Bench bench, DType type, MessageCoding coding, int rows, int columns) {
        String what = "received " + rows + " rows of " + columns;
        try (PackedOperand packed = coding.allocate(rows, columns)) {
            Guarded first = values(bench, type, 1, 1e3, rows, columns);
            Guarded x = values(bench, type, 2, 1, rows, columns);
            assertEquals(1, packed.pieces(), "pieces of a message");
            long bytes = packed.tensors().stream().mapToLong(Tensor::byteSize).sum();
            // A short row carries the scale of a full block, so its transfer need not be smaller.
            assertTrue(
                    columns < 128 || bytes < x.tensor().byteSize(),
                    bytes + " bytes for " + x.tensor().byteSize());
            pass(bench, coding, packed, first);
            double[] received = pass(bench, coding, packed, x);
            Matrices.requireClose(what, x.values(), received, columns, PrecisionOffer.MAX_TOLERANCE);
            assertArrayEquals(
                    Layers.bits(received), Layers.bits(pass(bench, coding, packed, x)), what + ", sent again");
            Guarded diverged = Guarded.of(bench, "x", type, i -> i == 1 ? Double.NaN : 1, rows, columns);
            assertTrue(Double.isNaN(pass(bench, coding, packed, diverged)[1]), "NaN became a number");
        }
    }

    private static Guarded values(Bench bench, DType type, int seed, double deviation, int rows, int columns) {
        Normals normal = Normals.of(seed);
        return Guarded.of(bench, "x", type, i -> deviation * normal.applyAsDouble(i), rows, columns);
    }

    private static double[] pass(Bench bench, MessageCoding coding, PackedOperand packed, Guarded x) {
        coding.pack(bench.queue(), x.tensor(), packed);
        x.requireUntouched();
        long rows = x.tensor().shape().dim(0);
        Guarded received = Guarded.of(
                bench,
                "x",
                x.tensor().dtype(),
                i -> -5,
                rows,
                x.tensor().shape().dim(1));
        coding.unpack(bench.queue(), packed, received.tensor());
        return received.result();
    }
}
