package io.hirundo.gpusuite.internal.layouts;

import java.util.Map;

/**
 * The parallel layout of a training run, whose ranks are threads of this process. Overlap is on, as by default.
 *
 * @param extents sizes of the mesh axes
 * @param schedule pipeline schedule
 * @param context context-parallel strategy
 * @param data data-parallel strategy
 * @param sequenceParallel whether norms work on shards of the tokens
 */
public record Layout(Extents extents, String schedule, String context, String data, boolean sequenceParallel) {
    static final Layout ALONE = of(1, 1, 1, 1);

    /** Small enough that a small model has several buckets, whose collectives can overlap with computation. */
    private static final int BUCKET_ELEMENTS = 60_000;

    /**
     * Sizes of the mesh axes.
     *
     * @param tensor tensor-parallel size
     * @param context context-parallel size
     * @param pipeline pipeline-parallel size
     * @param data data-parallel size
     */
    record Extents(int tensor, int context, int pipeline, int data) {}

    /** With the default strategies. */
    public static Layout of(int tensor, int context, int pipeline, int data) {
        return new Layout(new Extents(tensor, context, pipeline, data), "1f1b", "ring", "zero1", true);
    }

    Layout by(String otherSchedule) {
        return new Layout(extents, otherSchedule, context, data, sequenceParallel);
    }

    /** With all-gather context parallelism and FSDP. */
    Layout gathering() {
        return new Layout(extents, schedule, "all-gather", "fsdp", sequenceParallel);
    }

    Layout withoutSequenceParallel() {
        return new Layout(extents, schedule, context, data, false);
    }

    int ranks() {
        return extents.tensor * extents.context * extents.pipeline * extents.data;
    }

    /** Whether GEMMs or attention are split, so that sums differ from those of a single rank. */
    boolean splitsSums() {
        return extents.tensor * extents.context > 1;
    }

    /** Whether a rank has gradients that are complete without a reduction. */
    boolean hasWholeGradients() {
        return extents.context * extents.data == 1;
    }

    /**
     * The section {@code mesh} of a configuration.
     *
     * @param timeoutSeconds timeout of a rank that waits for another one
     */
    Map<String, Object> mesh(int timeoutSeconds) {
        Map<String, Object> bucketOptions = data.equals("zero1") ? Map.of("bucketElements", BUCKET_ELEMENTS) : Map.of();
        return Map.of(
                "fabric",
                Map.of("name", "local", "options", Map.of("timeoutSeconds", timeoutSeconds)),
                "tensor",
                extents.tensor,
                "context",
                extents.context,
                "pipeline",
                extents.pipeline,
                "data",
                extents.data,
                "schedule",
                schedule,
                "tensorParallel",
                Map.of("name", "column-row", "options", Map.of("sequenceParallel", sequenceParallel)),
                "contextParallel",
                context,
                "dataParallel",
                Map.of("name", data, "options", bucketOptions));
    }

    /** A short description, for example {@code tp2 sp pp2 zb-h1 dp2 zero1}. */
    @Override
    public String toString() {
        if (ranks() == 1) {
            return "alone";
        }
        return (axis("tp", extents.tensor, sequenceParallel ? "sp" : "")
                        + axis("cp", extents.context, context)
                        + axis("pp", extents.pipeline, schedule)
                        + axis("dp", extents.data, data))
                .strip();
    }

    private static String axis(String name, int ranks, String how) {
        return ranks == 1 ? "" : " " + (name + ranks + " " + how).strip();
    }
}
