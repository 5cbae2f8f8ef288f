package io.hirundo.trainer.internal.parity;

import io.hirundo.model.layer.Recompute;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The layouts under test. */
public final class LayoutMatrix {
    private static final int MAX_RANKS = 16;

    /** Up to this many stages, {@link Layouts#LAYERS} and at most four microbatches exercise every split; many ranks are slow. */
    private static final int FEW_STAGES = 2;
    /** For more stages. */
    private static final int MANY_LAYERS = 2 * Layouts.LAYERS;

    static final List<String> SCHEDULES = List.of("1f1b", "gpipe", "interleaved", "zb-h1", "zb-v", "csv");

    private LayoutMatrix() {}

    /** Each axis and strategy alone, and one combination. */
    static Stream<Layout> ofEachAxis() {
        return Stream.of(
                layout(1, 1, 1, 1, "1f1b", Recompute.FULL, 2, false),
                layout(4, 1, 1, 1, "1f1b", Recompute.NONE, 4, false),
                layout(1, 2, 1, 1, "1f1b", Recompute.NONE, 2, false),
                layout(1, 4, 1, 1, "1f1b", Recompute.SELECTIVE, 8, false),
                layout(1, 1, 2, 1, "zb-v", Recompute.NONE, 1, false),
                layout(1, 1, 1, 4, "1f1b", Recompute.NONE, 1, false),
                new Layout(
                        new Extents(1, 2, 1, 2),
                        new Ways("1f1b", "all-gather", "fsdp", true, true),
                        Recompute.NONE,
                        2,
                        false),
                layout(2, 2, 2, 2, "interleaved", Recompute.NONE, 1, false));
    }

    /** A few layouts that together cover everything. */
    public static Stream<Layout> fast() {
        return Stream.of(
                layout(1, 1, 1, 1, "1f1b", Recompute.NONE, 2, false),
                layout(1, 1, 1, 4, "1f1b", Recompute.SELECTIVE, 1, true),
                new Layout(new Extents(1, 1, 4, 1), Ways.of("1f1b"), Recompute.NONE, 1, true, MANY_LAYERS),
                layout(8, 1, 1, 1, "1f1b", Recompute.NONE, 4, false),
                layout(1, 4, 1, 1, "1f1b", Recompute.FULL, 2, true),
                layout(2, 1, 2, 2, "gpipe", Recompute.NONE, 1, false),
                layout(2, 1, 2, 1, "zb-h1", Recompute.NONE, 1, true),
                layout(1, 1, 2, 2, "zb-v", Recompute.NONE, 1, true),
                layout(2, 2, 2, 1, "interleaved", Recompute.FULL, 1, false),
                new Layout(
                        new Extents(1, 1, 2, 2), new Ways("1f1b", "ring", "fsdp", true, true), Recompute.NONE, 1, true),
                new Layout(
                        new Extents(2, 2, 1, 2),
                        new Ways("1f1b", "all-gather", "fsdp", false, true),
                        Recompute.SELECTIVE,
                        2,
                        true),
                new Layout(
                        new Extents(1, 1, 2, 2),
                        new Ways("1f1b", "ring", "zero2", true, true),
                        Recompute.NONE,
                        1,
                        true));
    }

    /** Those of the few that together overlap every kind of communication: data, stages, contexts, matrices and gathered weights. */
    static Stream<Layout> hiding() {
        List<Layout> fast = fast().toList();
        return Stream.of(1, 2, 4, 6, 9, 10).map(fast::get);
    }

    /** As {@link #ofEachAxis}, without the combination of all axes, which takes as long as the others together. */
    static Stream<Layout> ofSingleAxes() {
        return ofEachAxis().limit(ofEachAxis().count() - 1);
    }

    /** Of the few, each axis alone, and one combination. */
    static Stream<Layout> ofMemory() {
        List<Layout> fast = fast().toList();
        return Stream.of(0, 1, 2, 6, 9, 10, 11).map(fast::get);
    }

    /** Hybrid sharding: data ranks, context ranks, and replicas next to tensor ranks. */
    public static Stream<Layout> hybrid() {
        return Stream.of(
                hybrid(1, 1, 1, 4, "fsdp in shards of 2", Recompute.NONE, true),
                hybrid(1, 2, 1, 2, "zero2 in shards of 2", Recompute.SELECTIVE, false),
                hybrid(2, 1, 1, 4, "fsdp in shards of 2", Recompute.NONE, false));
    }

    public static Stream<Layout> moreHybrid() {
        var layouts = new ArrayList<Layout>();
        for (int schedule = 0; schedule < SCHEDULES.size(); schedule++) {
            for (int untied = 0; untied < 2; untied++) {
                // Each mode has tied and untied embeddings.
                String mode = (schedule / 2 + untied) % 2 == 0 ? "zero2 in shards of 2" : "fsdp in shards of 2";
                layouts.add(ofSchedule(SCHEDULES.get(schedule), mode, 2, schedule + untied, untied == 0));
            }
        }
        return Stream.concat(layouts.stream(), moreMeshesOfHybrid());
    }

    private static Stream<Layout> moreMeshesOfHybrid() {
        return Stream.of(
                hybrid(1, 1, 1, 8, "fsdp in shards of 4", Recompute.NONE, true),
                hybrid(1, 1, 1, 8, "zero2 in shards of 2", Recompute.FULL, false),
                hybrid(1, 1, 1, 4, "fsdp in shards of 1", Recompute.NONE, true),
                hybrid(1, 1, 2, 4, "fsdp in shards of 2", Recompute.NONE, true),
                hybrid(1, 1, 2, 4, "zero2 in shards of 2", Recompute.SELECTIVE, true),
                hybrid(1, 4, 1, 2, "fsdp in shards of 4", Recompute.NONE, false),
                hybrid(2, 2, 2, 2, "fsdp in shards of 2", Recompute.FULL, true));
    }

    /** Every mode of data ranks with every schedule, with tied embeddings and without. */
    private static Stream<Layout> ofSchedules() {
        List<String> modes = List.of("zero1", "zero2", "fsdp");
        var layouts = new ArrayList<Layout>();
        for (int schedule = 0; schedule < SCHEDULES.size(); schedule++) {
            for (int mode = 0; mode < modes.size(); mode++) {
                for (int untied = 0; untied < 2; untied++) {
                    layouts.add(ofSchedule(
                            SCHEDULES.get(schedule), modes.get(mode), 1, schedule + mode + untied, untied == 0));
                }
            }
        }
        return layouts.stream();
    }

    /** Two stages, and four microbatches on each of two data ranks. */
    private static Layout ofSchedule(String schedule, String mode, int context, int recompute, boolean tied) {
        var ways = new Ways(schedule, "ring", mode, true, true);
        return new Layout(
                new Extents(1, context, 2, 2),
                ways,
                Recompute.values()[recompute % Recompute.values().length],
                1,
                tied);
    }

    static Layout hybrid(
            int tensor, int context, int pipeline, int data, String mode, Recompute recompute, boolean tied) {
        return new Layout(
                new Extents(tensor, context, pipeline, data),
                new Ways("1f1b", "ring", mode, true, true),
                recompute,
                1,
                tied);
    }

    private static Layout layout(
            int tensor,
            int context,
            int pipeline,
            int data,
            String schedule,
            Recompute recompute,
            int microBatch,
            boolean tied) {
        return new Layout(new Extents(tensor, context, pipeline, data), Ways.of(schedule), recompute, microBatch, tied);
    }

    /**
     * The few, every mesh of up to 16 ranks that divides the model, each with another choice of the remaining strategies, and every mode with
     * every schedule.
     */
    public static Stream<Layout> matrix() {
        var layouts = new ArrayList<>(fast().toList());
        for (int tensor : new int[] {1, 2, 4, 8}) {
            for (int context : new int[] {1, 2, 4}) {
                for (int pipeline : new int[] {1, 2, 4, 8}) {
                    for (int data : new int[] {1, 2, 4}) {
                        var extents = new Extents(tensor, context, pipeline, data);
                        if (extents.ranks() > 1 && extents.ranks() <= MAX_RANKS) {
                            layouts.add(varied(extents, layouts.size()));
                        }
                    }
                }
            }
        }
        return Stream.concat(layouts.stream(), ofSchedules());
    }

    private static Layout varied(Extents extents, int number) {
        List<String> schedules = extents.pipeline() == 1
                ? List.of("1f1b", "gpipe")
                : List.of("1f1b", "interleaved", "zb-h1", "zb-v", "gpipe");
        String schedule = schedules.get(number % schedules.size());
        boolean twoChunks = schedule.equals("interleaved") || schedule.equals("zb-v");
        int layers = extents.pipeline() <= FEW_STAGES ? Layouts.LAYERS : MANY_LAYERS;
        int samples = Layouts.GLOBAL_BATCH / extents.data();
        int microBatch = extents.pipeline() > FEW_STAGES
                ? 1
                : Math.max(1, samples / (extents.pipeline() == 1 && number % 2 == 1 ? 2 : 4));
        if (schedule.equals("interleaved") && samples / microBatch < extents.pipeline()
                || twoChunks && 2 * extents.pipeline() > layers + 2) {
            schedule = "zb-h1";
        }
        boolean tied = number % 2 == 0;
        String sharding = List.of("zero1", "fsdp", "zero2").get(number % 3);
        var ways = new Ways(schedule, number % 4 == 3 ? "all-gather" : "ring", sharding, number % 5 != 4, true);
        // Not in step with the sharding.
        Recompute recompute = Recompute.values()[(number + number / 3) % Recompute.values().length];
        return new Layout(extents, ways, recompute, microBatch, tied, layers);
    }
}
