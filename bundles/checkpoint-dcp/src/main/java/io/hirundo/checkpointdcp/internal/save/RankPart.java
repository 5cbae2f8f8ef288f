package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.format.JsonValues;
import java.util.Map;

/**
 * What one rank contributes to the manifest of a save: everything but the bytes of its tensors.
 *
 * @param step completed optimizer steps
 * @param values as JSON; empty except on rank 0
 * @param plan its shards and their positions in its data file
 */
public record RankPart(long step, Map<String, Object> values, ShardPlan plan) {
    /** The part of this rank. */
    public static RankPart of(int rank, TrainingState state, ShardPlan plan) {
        Map<String, Object> values = rank == 0 ? state.values() : Map.of();
        JsonValues.check(values, "values");
        return new RankPart(state.step(), values, plan);
    }

    /** Returns the plan of the previous save if the shards are the same, and else a new one. {@code previous}: null for none. */
    public static ShardPlan planOf(TrainingState state, ShardPlan previous, int chunkBytes) {
        boolean fits = previous != null && previous.isFor(state.shards());
        return fits ? previous : new ShardPlan(state.shards(), chunkBytes);
    }
}
