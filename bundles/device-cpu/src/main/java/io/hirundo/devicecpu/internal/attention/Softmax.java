package io.hirundo.devicecpu.internal.attention;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.QUERIES;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_ROW;
import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.ElementwiseLoops;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.VectorExp;
import io.hirundo.devicecpu.internal.vector.VectorTanh;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.attention.AttentionShape;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/** The running softmax of a tile of queries, over one tile of keys after the other. */
public final class Softmax {
    private final AttentionShape shape;
    private final long startsBS;

    /**
     * A number for each query of the tile.
     *
     * @param maxS largest score so far
     * @param shiftS what is added to scores before their exponential: minus the maximum
     * @param sumS sum of exponentials so far
     * @param rescaleS what older sums are multiplied by when the maximum has grown
     * @param zeroS zeros
     * @param unusedS where a sum goes that nobody reads
     */
    public record Statistics(long maxS, long shiftS, long sumS, long rescaleS, long zeroS, long unusedS) {
        public static Statistics take(Scratch scratch) {
            return new Statistics(
                    scratch.take(SCORE_ROW),
                    scratch.take(SCORE_ROW),
                    scratch.take(SCORE_ROW),
                    scratch.take(SCORE_ROW),
                    scratch.take(SCORE_ROW),
                    scratch.take(SCORE_ROW));
        }

        /** No query has seen a key. */
        public void begin() {
            Memory.zero(sumS, SCORE_ROW);
            Memory.zero(zeroS, SCORE_ROW);
            Memory.zero(unusedS, SCORE_ROW);
            ElementwiseLoops.fill(maxS, QUERIES, Float.NEGATIVE_INFINITY);
        }
    }

    /** @param startsBS address of where the queries' documents begin; 0 where a sequence is one */
    Softmax(AttentionShape shape, long startsBS) {
        this.shape = shape;
        this.startsBS = startsBS;
    }

    /**
     * Replaces scores by probabilities up to the running maximum, and brings the statistics up to date.
     *
     * @param scoresKS of {@code keys} keys; a column's scores behind the last key that it sees stay as they are
     */
    void update(long scoresKS, Statistics rows, int sequence, int firstQuery, int queries, int firstKey, int keys) {
        for (int column = 0; column < queries; column += Lanes.COUNT) {
            int seen = AttentionTiles.seen(shape, firstQuery + column + Lanes.COUNT - 1, firstKey, keys);
            if (shape.options().softCap().isPresent()) {
                VectorTanh.cap(scoresKS + column * 4L, SCORE_ROW, seen, (float)
                        shape.options().softCap().getAsDouble());
            }
            AttentionTiles.maskAll(
                    shape, startsBS, sequence, firstQuery, queries, column, firstKey, seen, scoresKS + column * 4L);
            max(scoresKS + column * 4L, seen, rows, column * 4L);
        }
        int vectors = AttentionTiles.vectors(queries);
        long rescale = rows.rescaleS;
        VectorExp.exp(rescale, rescale, Lanes.BYTES, vectors, 1, rows.zeroS, rows.unusedS);
        for (int column = 0; column < queries; column += Lanes.COUNT) {
            int seen = AttentionTiles.seen(shape, firstQuery + column + Lanes.COUNT - 1, firstKey, keys);
            long at = column * 4L;
            multiply(rows.sumS + at, rows.rescaleS + at);
            long scores = scoresKS + at;
            VectorExp.exp(scores, scores, SCORE_ROW, seen, 1, rows.shiftS + at, rows.sumS + at);
        }
    }

    /** Brings the maximum of a column up to date, and writes the exponent of its rescaling. */
    private static void max(long scores, int seen, Statistics rows, long at) {
        int pairs = seen & -2;
        FloatVector oldMax = fromMemorySegment(FLOATS, ALL, rows.maxS + at, ORDER);
        FloatVector even = fromMemorySegment(FLOATS, ALL, rows.maxS + at, ORDER);
        FloatVector odd = fromMemorySegment(FLOATS, ALL, rows.maxS + at, ORDER);
        for (int key = 0; key < pairs; key += 2) {
            FloatVector first = fromMemorySegment(FLOATS, ALL, scores + key * SCORE_ROW, ORDER);
            FloatVector second = fromMemorySegment(FLOATS, ALL, scores + (key + 1) * SCORE_ROW, ORDER);
            // Two instructions, where lanewise(MAX) with its rules for NaN takes seven. The exponentials keep a NaN.
            even = even.blend(first, first.compare(VectorOperators.GT, even));
            odd = odd.blend(second, second.compare(VectorOperators.GT, odd));
        }
        for (int key = pairs; key < seen; key++) {
            FloatVector last = fromMemorySegment(FLOATS, ALL, scores + key * SCORE_ROW, ORDER);
            even = even.blend(last, last.compare(VectorOperators.GT, even));
        }
        FloatVector max = even.blend(odd, odd.compare(VectorOperators.GT, even));
        // A query that has seen no key yet: minus infinity less minus infinity would be NaN.
        FloatVector shift = max.blend(0f, max.compare(VectorOperators.EQ, Float.NEGATIVE_INFINITY))
                .neg();
        max.intoMemorySegment(ALL, rows.maxS + at, ORDER);
        shift.intoMemorySegment(ALL, rows.shiftS + at, ORDER);
        oldMax.add(shift).intoMemorySegment(ALL, rows.rescaleS + at, ORDER);
    }

    private static void multiply(long x, long factor) {
        FloatVector product =
                fromMemorySegment(FLOATS, ALL, x, ORDER).mul(fromMemorySegment(FLOATS, ALL, factor, ORDER));
        product.intoMemorySegment(ALL, x, ORDER);
    }

    /** Divides a tile's outputs by their sums, rounds them to the output tensor, and writes the logarithms of the sums. */
    void write(
            AttentionOperands operands,
            long outputSD,
            long rowBytes,
            Statistics rows,
            WideSpan output,
            int head,
            int firstQuery,
            int queries) {
        int dim = shape.heads().dim();
        int sequence = head / shape.heads().query();
        long token = (long) sequence * shape.queryTokens() + firstQuery;
        long outputRow = shape.heads().outputChannels();
        long first = token * outputRow + (long) (head % shape.heads().query()) * dim;
        long logSumExp = operands.logSumExp().address() + ((long) head * shape.queryTokens() + firstQuery) * 4;
        for (int row = 0; row < queries; row++) {
            float total = Memory.getFloat(rows.sumS + row * 4L);
            boolean seesNone = total == 0;
            float factor = seesNone ? 0 : 1 / total;
            long element = first + row * outputRow;
            TileRows.write(outputSD + row * rowBytes, dim, factor, output.target(element));
            output.store(element, dim);
            double log = seesNone ? Double.NEGATIVE_INFINITY : Memory.getFloat(rows.maxS + row * 4L) + Math.log(total);
            Memory.setFloat(logSumExp + row * 4L, (float) log);
        }
    }
}
