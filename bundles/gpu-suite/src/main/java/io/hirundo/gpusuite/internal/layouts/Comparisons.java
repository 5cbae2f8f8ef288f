package io.hirundo.gpusuite.internal.layouts;

import java.util.List;

/**
 * The compared layouts, most important first: each axis alone in fp32, where only sums are rounded; then everything of a large training in
 * each precision; then the other schedules and strategies. They have at most eight ranks, as many as a machine has GPUs. {@code fp32} is
 * first because its single rank also compiles {@code attention.cu}, which context parallelism uses in every precision.
 */
public final class Comparisons {
    private Comparisons() {}

    /** A layout in a precision. */
    public record Compared(Layout layout, Precision precision) {
        @Override
        public String toString() {
            return precision.name() + " " + layout;
        }
    }

    static final List<Compared> ALL = List.of(
            in(Precision.FP32, Layout.of(2, 1, 1, 1)),
            in(Precision.FP32, Layout.of(1, 1, 2, 1)),
            in(Precision.FP32, Layout.of(1, 1, 1, 2)),
            in(Precision.FP32, Layout.of(1, 2, 1, 1)),
            in(Precision.BF16, Layout.of(2, 1, 2, 2)),
            in(Precision.FP8, Layout.of(2, 1, 2, 2)),
            in(Precision.FP32, Layout.of(2, 2, 2, 1).by("interleaved")),
            in(Precision.BF16, Layout.of(2, 1, 1, 1)),
            in(Precision.FP8, Layout.of(2, 1, 1, 1)),
            in(Precision.FP8, Layout.of(1, 1, 2, 2)),
            in(Precision.FP32, Layout.of(2, 1, 2, 2).by("zb-h1")),
            in(Precision.BF16, Layout.of(2, 2, 1, 2).gathering()),
            in(Precision.FP8, Layout.of(1, 2, 2, 2).by("zb-h1")),
            in(Precision.FP32, Layout.of(1, 2, 2, 2).by("zb-v").gathering()),
            in(Precision.BF16, Layout.of(1, 2, 2, 1).by("interleaved")),
            in(Precision.BF16, Layout.of(1, 1, 2, 1)),
            in(Precision.FP8, Layout.of(1, 1, 1, 2).gathering()),
            in(Precision.FP32, Layout.of(1, 1, 4, 1)),
            in(Precision.FP32, Layout.of(1, 1, 1, 4)),
            in(Precision.FP32, Layout.of(1, 4, 1, 1)),
            in(Precision.FP32, Layout.of(4, 1, 1, 1).withoutSequenceParallel()));

    private static Compared in(Precision precision, Layout layout) {
        return new Compared(layout, precision);
    }
}
