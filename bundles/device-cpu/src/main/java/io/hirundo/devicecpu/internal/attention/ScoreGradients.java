package io.hirundo.devicecpu.internal.attention;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_ROW;
import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.VectorExp;
import io.hirundo.devicecpu.internal.vector.VectorTanh;
import io.hirundo.kernel.attention.AttentionShape;
import java.util.OptionalDouble;
import jdk.incubator.vector.FloatVector;

/** From the gradients of probabilities to those of scores, column by column of a tile: one vector of queries by some keys. */
public final class ScoreGradients {
    private final AttentionShape shape;
    private final long startsBS;

    /** @param startsBS address of where the queries' documents begin; 0 where a sequence is one */
    public ScoreGradients(AttentionShape shape, long startsBS) {
        this.shape = shape;
        this.startsBS = startsBS;
    }

    /**
     * Replaces scores by probabilities, and gradients of probabilities by those of scores, of a tile. A column's values behind the last keys
     * that it sees, rounded up to {@link TileGemm#ROWS}, stay as they are.
     */
    public void apply(
            long scoresKS,
            long gradientKS,
            BackwardTiles.RowTerms rows,
            int sequence,
            int firstQuery,
            int queries,
            int firstKey,
            int keys) {
        for (int column = 0; column < queries; column += Lanes.COUNT) {
            int seen = AttentionTiles.seen(shape, firstQuery + column + Lanes.COUNT - 1, firstKey, keys);
            // Whole blocks of rows, because the GEMMs below take a block where its first key is seen.
            seen = Math.min(keys, AttentionTiles.roundUpToRows(seen));
            long scores = scoresKS + column * 4L;
            OptionalDouble cap = shape.options().softCap();
            long gradients = gradientKS + column * 4L;
            long deltas = rows.deltaS() + column * 4L;
            if (cap.isPresent()) {
                // Before the mask, because the slope at minus infinity times probability 0 is NaN.
                VectorTanh.cap(scores, SCORE_ROW, seen, (float) cap.getAsDouble());
                slopes(scores, gradients, seen, deltas, (float) (1 / cap.getAsDouble()));
            }
            AttentionTiles.maskAll(shape, startsBS, sequence, firstQuery, queries, column, firstKey, seen, scores);
            VectorExp.exp(scores, scores, SCORE_ROW, seen, 1, rows.shiftS() + column * 4L, rows.unusedS());
            if (cap.isPresent()) {
                products(scores, gradients, seen);
            } else {
                of(scores, gradients, seen, deltas);
            }
        }
    }

    /** Gradients dp of probabilities p become those of scores, {@code p (dp - delta)}. */
    private static void of(long probabilities, long gradients, int seen, long delta) {
        FloatVector deltas = fromMemorySegment(FLOATS, ALL, delta, ORDER);
        for (int key = 0; key < seen; key++) {
            long row = key * SCORE_ROW;
            FloatVector gradient =
                    fromMemorySegment(FLOATS, ALL, gradients + row, ORDER).sub(deltas);
            FloatVector probability = fromMemorySegment(FLOATS, ALL, probabilities + row, ORDER);
            probability.mul(gradient).intoMemorySegment(ALL, gradients + row, ORDER);
        }
    }

    /**
     * With a soft cap c, before the mask: gradients dp of probabilities become {@code (dp - delta) (1 - (t / c)²)}, which lack only the
     * probability.
     *
     * @param scores t, capped
     */
    private static void slopes(long scores, long gradients, int seen, long delta, float inverseCap) {
        FloatVector deltas = fromMemorySegment(FLOATS, ALL, delta, ORDER);
        for (int key = 0; key < seen; key++) {
            long row = key * SCORE_ROW;
            FloatVector capped =
                    fromMemorySegment(FLOATS, ALL, scores + row, ORDER).mul(inverseCap);
            FloatVector slope = capped.mul(capped).neg().add(1f);
            FloatVector gradient =
                    fromMemorySegment(FLOATS, ALL, gradients + row, ORDER).sub(deltas);
            gradient.mul(slope).intoMemorySegment(ALL, gradients + row, ORDER);
        }
    }

    /** {@code gradients *= probabilities}, after {@link #slopes}. */
    private static void products(long probabilities, long gradients, int seen) {
        for (int key = 0; key < seen; key++) {
            long row = key * SCORE_ROW;
            FloatVector gradient = fromMemorySegment(FLOATS, ALL, gradients + row, ORDER);
            FloatVector probability = fromMemorySegment(FLOATS, ALL, probabilities + row, ORDER);
            probability.mul(gradient).intoMemorySegment(ALL, gradients + row, ORDER);
        }
    }
}
