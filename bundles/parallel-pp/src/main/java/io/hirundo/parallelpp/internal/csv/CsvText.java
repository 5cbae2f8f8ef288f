package io.hirundo.parallelpp.internal.csv;

import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.schedule.PipelineShape;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes a plan as the table that {@link CsvTable} reads. */
public final class CsvText {
    private CsvText() {}

    /**
     * The table; its first line names the options that give the same schedule.
     *
     * @param fuseBackward the schedule's setting
     */
    public static String of(PipelinePlan plan, boolean fuseBackward) {
        var text = new StringBuilder("# placement: ")
                .append(placement(plan))
                .append(", fuseBackward: ")
                .append(fuseBackward)
                .append('\n');
        for (int rank = 0; rank < plan.shape().ranks(); rank++) {
            text.append(plan.actions(rank).stream().map(Action::label).collect(Collectors.joining(",")))
                    .append('\n');
        }
        return text.toString();
    }

    private static String placement(PipelinePlan plan) {
        for (ChunkPlacement placement : ChunkPlacement.values()) {
            if ((placement == ChunkPlacement.LOOP || plan.shape().chunks() == 2) && isPlaced(plan, placement)) {
                return placement.name().toLowerCase(Locale.ROOT);
            }
        }
        return "neither loop nor v";
    }

    private static boolean isPlaced(PipelinePlan plan, ChunkPlacement placement) {
        PipelineShape shape = plan.shape();
        for (int rank = 0; rank < shape.ranks(); rank++) {
            for (int chunk = 0; chunk < shape.chunks(); chunk++) {
                if (plan.stage(rank, chunk) != placement.stage(shape.ranks(), rank, chunk)) {
                    return false;
                }
            }
        }
        return true;
    }
}
