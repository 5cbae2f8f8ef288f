package io.hirundo.devicemeta.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Operations and bytes of attention, worked out by hand, and the memory that it takes; every operand misshapen once. */
class MetaAttentionTest extends CountedKernels {
    private static final Heads HEADS = new Heads(6, 2, 4);

    /** Those that have the type of the call. */
    private static final int BACKWARD_OPERANDS = 8;

    private QueryKeyValue heads(long sequences, long queries, long keys) {
        return new QueryKeyValue(
                fp32(sequences, 6, queries, 4), fp32(sequences, 2, keys, 4), fp32(sequences, 2, keys, 4));
    }

    @Test
    void rotation() {
        var positions = tensor(DType.INT32, 10);
        var attention = kernels.attention();
        attention.splitAndRotate(null, HEADS, 2, fp32(10, 40), fp32(16, 2), fp32(16, 2), positions, heads(2, 5, 5));
        attention.rotateBackAndJoin(null, HEADS, 2, heads(2, 5, 5), fp32(16, 2), fp32(16, 2), positions, fp32(10, 40));
        // 10 tokens of 8 rotated heads of 2 pairs; fused rows and heads, two table rows of 2 a token, positions.
        long bytes = 4 * (400 + 400 + 40 + 10);
        booked("attention.splitAndRotate 960 " + bytes, "attention.rotateBackAndJoin 960 " + bytes);
        rejected(
                "qkvTE",
                () -> attention.splitAndRotate(
                        null, HEADS, 3, fp32(10, 40), fp32(16, 2), fp32(16, 2), positions, heads(2, 5, 5)));
        rejected(
                "sinPD2",
                () -> attention.splitAndRotate(
                        null, HEADS, 2, fp32(10, 40), fp32(16, 2), fp32(15, 2), positions, heads(2, 5, 5)));
        rejected(
                "keyBGSD",
                () -> attention.splitAndRotate(
                        null, HEADS, 2, fp32(10, 40), fp32(16, 2), fp32(16, 2), positions, heads(2, 5, 6)));
        rejected(
                "positionsT",
                () -> attention.splitAndRotate(
                        null, HEADS, 2, fp32(10, 40), fp32(16, 2), fp32(16, 2), fp32(10), heads(2, 5, 5)));
    }

    @Test
    void attention() {
        var shape = AttentionShape.causal(2, 5, HEADS);
        var attention = kernels.attention();
        attention.forward(null, shape, heads(2, 5, 5), fp32(10, 24), fp32(2, 6, 5));
        attention.backward(null, shape, fp32(10, 24), heads(2, 5, 5), fp32(10, 24), fp32(2, 6, 5), heads(2, 5, 5));
        // 2 sequences, 6 heads, 25 / 2 pairs, 4 channels, a multiply-add each, for 2 and 5 products.
        booked(
                "attention.forward " + 2 * 2 * 6 * 25 * 4 + " " + 4 * (400 + 240 + 60),
                "attention.backward " + 5 * 2 * 6 * 25 * 4 + " " + 4 * (400 + 240 + 60 + 240 + 400));
        rejected("valueBGSD", () -> {
            var in = new QueryKeyValue(fp32(2, 6, 5, 4), fp32(2, 2, 5, 4), fp32(2, 6, 5, 4));
            attention.forward(null, shape, in, fp32(10, 24), fp32(2, 6, 5));
        });
        rejected("outputTHD", () -> attention.forward(null, shape, heads(2, 5, 5), fp32(10, 8), fp32(2, 6, 5)));
        rejected("logSumExpBHS", () -> attention.forward(null, shape, heads(2, 5, 5), fp32(10, 24), fp32(2, 2, 5)));
        rejected(
                "gradient.keyBGSD",
                () -> attention.backward(
                        null, shape, fp32(10, 24), heads(2, 5, 5), fp32(10, 24), fp32(2, 6, 5), heads(2, 5, 4)));
    }

    @Test
    void visiblePairsAreThoseOfTheMask() {
        for (int queries = 0; queries <= 5; queries++) {
            for (int keys = 0; keys <= 5; keys++) {
                for (int offset = -7; offset <= 7; offset++) {
                    long expected = 0;
                    for (int i = 0; i < queries; i++) {
                        for (int j = 0; j < keys; j++) {
                            expected += j < i + offset ? 2 : j == i + offset ? 1 : 0;
                        }
                    }
                    var shape = new AttentionShape(1, queries, keys, HEADS, offset);
                    assertEquals(expected, MetaAttention.halfPairs(shape), shape.toString());
                }
            }
        }
        for (int offset = -7; offset <= 7; offset++) {
            for (int window = 1; window <= 9; window++) {
                long expected = 0;
                for (int i = 0; i < 5; i++) {
                    for (int j = 0; j < 4; j++) {
                        expected += j <= i + offset - window ? 0 : j < i + offset ? 2 : j == i + offset ? 1 : 0;
                    }
                }
                var shape = new AttentionShape(1, 5, 4, HEADS, offset).with(AttentionOptions.NONE.withWindow(window));
                assertEquals(expected, MetaAttention.halfPairs(shape), shape.toString());
            }
        }
        assertEquals(1L << 40, MetaAttention.halfPairs(AttentionShape.causal(1, 1 << 20, HEADS)));
        assertEquals(2 * 3 * 4, MetaAttention.halfPairs(new AttentionShape(1, 3, 4, HEADS, Integer.MAX_VALUE)));
    }

    @Test
    void backwardTakesMemoryForSumsWhereTheDeviceDoes() {
        // Of two heads a tile each.
        assertEquals(128 + 2 * (64 * 64 * 4 + 128), takenByBackward(true, -1));
        assertEquals(0, takenByBackward(false, -1));
    }

    /** Other kernels take such operands. */
    @Test
    void whereAnOperandBeginsAnywhereBackwardTakesNone() {
        for (int operand = 0; operand < BACKWARD_OPERANDS; operand++) {
            assertEquals(0, takenByBackward(true, operand), "operand " + operand);
        }
    }

    /** The most workspace of a backward in BF16; {@code crooked}: which operand begins one element behind a border, -1 for none. */
    private static long takenByBackward(boolean sums, int crooked) {
        var most = new long[1];
        var peaks = new DeviceLedger() {
            @Override
            public void reserve(MemoryCategory category, long bytes) {
                most[0] = category == MemoryCategory.WORKSPACE ? Math.max(most[0], bytes) : most[0];
            }

            @Override
            public void release(MemoryCategory category, long bytes) {}

            @Override
            public void work(String kernel, long flops, long movedBytes) {}
        };
        Shape queries = Shape.of(1, 2, 5, 64);
        Shape keys = Shape.of(1, 1, 5, 64);
        Shape outputs = Shape.of(5, 128);
        List<Shape> shapes = List.of(queries, keys, keys, outputs, outputs, queries, keys, keys);
        assertEquals(BACKWARD_OPERANDS, shapes.size());
        try (Device summing = new MetaFactory()
                .create(new MetaOptions("x", 64, 0, sums, 0, null, List.of()))
                .open(0, peaks)) {
            var all = new ArrayList<Tensor>();
            for (Shape shape : shapes) {
                Tensor room = summing.allocate(MemoryCategory.ACTIVATIONS, Shape.of(8 + shape.elements()), DType.BF16);
                // Eight elements are 16 bytes.
                all.add(room.view(4, Shape.of(4 + shape.elements())).view(all.size() == crooked ? 3 : 4, shape));
            }
            Tensor logSumExp = summing.allocate(MemoryCategory.ACTIVATIONS, Shape.of(11), DType.FP32)
                    .view(1, Shape.of(1, 2, 5));
            var in = new QueryKeyValue(all.get(0), all.get(1), all.get(2));
            var gradient = new QueryKeyValue(all.get(5), all.get(6), all.get(7));
            var shape = AttentionShape.causal(1, 5, new Heads(2, 1, 64));
            summing.kernels().attention().backward(null, shape, all.get(3), in, all.get(4), logSumExp, gradient);
        }
        return most[0];
    }

    @Test
    void merge() {
        var shape = new AttentionShape(2, 5, 7, HEADS, 9);
        kernels.attention().merge(null, shape, fp32(10, 24), fp32(2, 6, 5), fp32(10, 24), fp32(2, 6, 5));
        booked("attention.merge 720 " + 2 * 4 * (240 + 60));
        rejected(
                "partTHD", () -> kernels.attention().merge(null, shape, fp32(9, 24), fp32(60), fp32(10, 24), fp32(60)));
        rejected(
                "partLogSumExpBHS",
                () -> kernels.attention().merge(null, shape, fp32(10, 24), fp32(9), fp32(10, 24), fp32(60)));
        rejected(
                "logSumExpBHS",
                () -> kernels.attention().merge(null, shape, fp32(10, 24), fp32(60), fp32(10, 24), fp32(9)));
    }
}
