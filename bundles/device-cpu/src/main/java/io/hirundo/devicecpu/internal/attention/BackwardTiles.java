package io.hirundo.devicecpu.internal.attention;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.KEYS;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.QUERIES;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_BYTES;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_ROW;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.WideSpan;

/** Scratch memory of a task of {@link AttentionBackward}. Letters: S queries of a tile, K keys of a tile. */
public record BackwardTiles(
        Given given,
        Sums sums,
        QueryTile query,
        long scoresKS,
        long gradientKS,
        long keyCopyKD,
        long valueCopyKD,
        long sumKD) {
    static BackwardTiles take(Scratch scratch, Given given, Sums sums, int dim, long paddedRowBytes) {
        return new BackwardTiles(
                given,
                sums,
                QueryTile.take(scratch, dim, paddedRowBytes),
                scratch.take(SCORE_BYTES),
                scratch.take(SCORE_BYTES),
                scratch.take(KEYS * paddedRowBytes),
                scratch.take(KEYS * paddedRowBytes),
                scratch.take(KEYS * paddedRowBytes));
    }

    /** A tile of queries, of outputs and their gradients, of keys and of values, widened where they are BF16. */
    record Given(WideSpan query, WideSpan output, WideSpan outputGradient, WideSpan key, WideSpan value) {}

    /** Gradients of a tile's queries one by one, and of all keys and values of a head. */
    record Sums(WideSpan query, WideSpan key, WideSpan value) {}

    /** What is prepared once for a tile of queries: queries are scaled, copies are padded to whole vectors. */
    record QueryTile(long queryDS, long querySD, long dOutputDS, long dOutputSD, long dQuerySD, RowTerms rows) {
        static QueryTile take(Scratch scratch, int dim, long paddedRowBytes) {
            return new QueryTile(
                    scratch.take(dim * SCORE_ROW),
                    scratch.take(QUERIES * paddedRowBytes),
                    scratch.take(dim * SCORE_ROW),
                    scratch.take(QUERIES * paddedRowBytes),
                    scratch.take(QUERIES * paddedRowBytes),
                    RowTerms.take(scratch));
        }
    }

    /**
     * A number for each query of the tile.
     *
     * @param shiftS what is added to scores before their exponential: minus the logarithm of the sum of exponentials
     * @param deltaS output times output gradient
     * @param unusedS where a sum goes that nobody reads
     */
    public record RowTerms(long shiftS, long deltaS, long unusedS) {
        public static RowTerms take(Scratch scratch) {
            return new RowTerms(scratch.take(SCORE_ROW), scratch.take(SCORE_ROW), scratch.take(SCORE_ROW));
        }

        /**
         * Of a tile's queries.
         *
         * @param output FP32, as is its gradient; rows as many bytes apart
         */
        void fill(long logSumExp, long output, long outputGradient, long rowBytes, int queries, int dim) {
            Memory.zero(shiftS, SCORE_ROW);
            Memory.zero(deltaS, SCORE_ROW);
            Memory.zero(unusedS, SCORE_ROW);
            for (int row = 0; row < queries; row++) {
                // Minus infinity less minus infinity would be NaN where a query sees no key; with 0 its probabilities
                // are 0.
                float log = Memory.getFloat(logSumExp + row * 4L);
                Memory.setFloat(shiftS + row * 4L, log == Float.NEGATIVE_INFINITY ? 0 : -log);
                Memory.setFloat(
                        deltaS + row * 4L, TileRows.dot(output + row * rowBytes, outputGradient + row * rowBytes, dim));
            }
        }
    }
}
