package io.hirundo.lib.engine.audit;

import java.util.List;

/**
 * Draws what an audit checks. The draw depends only on seed and step, so all ranks draw the same without a collective.
 *
 * @param seed seed of the run
 * @param rate audits per step; below 1 some steps have none
 */
public record AuditChooser(long seed, double rate) {
    /** What is drawn. Each purpose has an independent stream of random numbers. */
    enum Purpose {
        RANK,
        LAYER,
        PRODUCT,
        CALL,
        ROW_TILE,
        COLUMN_TILE,
        COLLECTIVE_RANK,
        GROUP,
        COLLECTIVE,
        SOURCE,
        CHUNK
    }

    private static final long STEPS = 0x9e3779b97f4a7c15L;
    private static final long INDICES = 0xd1b54a32d192ed03L;
    private static final long PURPOSES = 0x8cb92ba72f3d8dd7L;

    /** The number of audits of a step (1-based). Over all steps the mean is {@link #rate}. */
    public int count(long step) {
        return (int) (begun(step) - begun(step - 1));
    }

    /** The largest number of audits of a step. */
    int most() {
        return (int) Math.ceil(rate);
    }

    private long begun(long steps) {
        return (long) Math.floor(steps * rate);
    }

    /** The {@code index}-th audit of a step. */
    public Draw draw(long step, int index) {
        return new Draw(mix(mix(seed + step * STEPS) + index * INDICES));
    }

    /** The random draw of one audit. */
    public record Draw(long key) {
        /** The rank whose GEMM is checked. */
        public int rank(int ranks) {
            return below(Purpose.RANK, ranks);
        }

        /** The GEMM to check: first a layer of the rank, then one of the layer's GEMMs. Each layer has at least one. */
        public GemmPlan product(List<List<GemmPlan>> layers) {
            List<GemmPlan> gemms = layers.get(below(Purpose.LAYER, layers.size()));
            return gemms.get(below(Purpose.PRODUCT, gemms.size()));
        }

        /** The call of that GEMM within the step. */
        public int call(GemmPlan product) {
            return below(Purpose.CALL, product.calls());
        }

        /** First row of a tile with this edge length in a result with {@code rows} rows. */
        public long firstRow(long rows, int tile) {
            return first(Purpose.ROW_TILE, rows, tile);
        }

        /** First column of a tile with this edge length in a result with {@code columns} columns. */
        public long firstColumn(long columns, int tile) {
            return first(Purpose.COLUMN_TILE, columns, tile);
        }

        private long first(Purpose purpose, long dimension, int tile) {
            return (long) tile * below(purpose, Math.toIntExact(GemmPlan.tiles(dimension, tile)));
        }

        /** Uniform in {@code [0, bound)}. */
        int below(Purpose purpose, int bound) {
            double unit = (mix(key + (purpose.ordinal() + 1) * PURPOSES) >>> 11) * 0x1p-53;
            return (int) (unit * bound);
        }
    }

    /** SplitMix64 (Steele, Lea and Flood 2014). */
    private static long mix(long seed) {
        long z = (seed ^ (seed >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
