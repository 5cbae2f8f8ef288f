package io.hirundo.testkit.precision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.WeightSharers;
import io.hirundo.testkit.bench.Bench;
import java.util.Random;

/**
 * A layer's weight, unsharded and as two shards of outputs, as two ranks hold it. One thread simulates both: it first records the
 * amaxes of each shard, then gives each those of the other. A strategy that never calls {@code agree} is not checked.
 */
final class SplitFixture {
    /** Outputs of a shard are a multiple of this if there are enough: other sizes might be computed in another way. */
    private static final int STEP = 16;

    /** Relative to the norm of the result: another summation order differs by less, another quantization of the weight by more. */
    private static final double SAME = 1e-3;

    private final Bench bench;
    private final PrecisionStrategy strategy;
    private final LinearShape shape;
    private final int outputs;
    private final double[] weight;

    SplitFixture(Bench bench, PrecisionStrategy strategy, LinearShape shape) {
        this.bench = bench;
        this.strategy = strategy;
        this.shape = shape;
        this.outputs = Math.toIntExact(shape.outputs());
        int inputs = Math.toIntExact(shape.inputs());
        this.weight = new Random(4).doubles((long) outputs * inputs, -1, 1).toArray();
        // The last row is so much larger that the others become subnormal in E4M3. Normal numbers are rounded alike
        // with any two scales
        // that are powers of two, so they would not show which scale was used.
        for (int i = weight.length - inputs; i < weight.length; i++) {
            weight[i] = Math.scalb(weight[i] + Math.copySign(1, weight[i]), 13);
        }
    }

    void run() {
        int first = outputs >= 2 * STEP ? outputs / 2 / STEP * STEP : outputs / 2;
        if (!isSupported(first) || !isSupported(outputs - first)) {
            return;
        }
        var low = new Sharer(bench, null);
        var high = new Sharer(bench, null);
        compute(0, first, low);
        compute(first, outputs, high);
        boolean sameWay = first % STEP == 0 && outputs % STEP == 0;
        if (!sameWay && (low.questions().isEmpty() || high.questions().isEmpty())) {
            return;
        }
        assertEquals(
                low.questions(),
                high.questions(),
                "agree() calls for the two shards of " + shape + ", which wait for each other");
        if (low.questions().isEmpty()) {
            return;
        }
        try (SplitPart whole = part(0, outputs, WeightSharers.NONE)) {
            whole.prepare();
            whole.prepare();
            requireSame(whole, 0, first, high);
            requireSame(whole, first, outputs, low);
        }
    }

    private boolean isSupported(int count) {
        return strategy.supports(bench.device().info(), shape(count)).supported();
    }

    private LinearShape shape(int count) {
        return new LinearShape(shape.name(), count, shape.inputs());
    }

    private SplitPart part(int from, int to, WeightSharers sharers) {
        return new SplitPart(bench, strategy, shape(to - from), from, weight, sharers);
    }

    /** Runs the GEMMs of one shard and records its calls. */
    private void compute(int from, int to, Sharer asked) {
        try (SplitPart part = part(from, to, asked)) {
            prepareTwice(part, asked);
            part.y();
            if (!asked.questions().isEmpty()) {
                part.dx(from, to);
                part.weightGradient();
            }
        }
    }

    private static void prepareTwice(SplitPart part, Sharer asked) {
        asked.whilePreparing(part::prepare);
        asked.whilePreparing(part::prepare);
    }

    private void requireSame(SplitPart whole, int from, int to, Sharer other) {
        var asked = new Sharer(bench, other);
        try (SplitPart part = part(from, to, asked)) {
            prepareTwice(part, asked);
            String where = " of outputs " + from + " to " + (to - 1) + " of " + shape;
            assertEquals(
                    other.questions(),
                    asked.questions(),
                    "agree() calls for the two shards, which wait for each other; here" + where);
            requireSame("y" + where, columns(whole.y(), from, to), part.y());
            requireSame("dx" + where, whole.dx(from, to), part.dx(from, to));
        }
    }

    private double[] columns(double[] y, int from, int to) {
        int count = to - from;
        var columns = new double[SplitPart.TOKENS * count];
        for (int token = 0; token < SplitPart.TOKENS; token++) {
            System.arraycopy(y, token * outputs + from, columns, token * count, count);
        }
        return columns;
    }

    private static void requireSame(String what, double[] expected, double[] actual) {
        double difference = 0;
        double norm = 0;
        for (int i = 0; i < expected.length; i++) {
            difference += (expected[i] - actual[i]) * (expected[i] - actual[i]);
            norm += expected[i] * expected[i];
        }
        double distance = difference == 0 ? 0 : Math.sqrt(difference / norm);
        assertTrue(distance <= SAME, () -> what + " differs by " + distance + " from that of the unsharded weight");
    }
}
