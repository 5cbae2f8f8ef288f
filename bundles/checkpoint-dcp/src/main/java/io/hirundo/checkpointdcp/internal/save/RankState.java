package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.format.JsonValues;
import java.util.Map;

/**
 * What one rank writes in a save, but for the bytes of its tensors.
 *
 * @param step steps that are done
 * @param values as JSON; those of rank 0 count
 */
public record RankState(long step, Map<String, Object> values, ShardPlan plan) {
    /** The share of a rank. */
    public static RankState of(int rank, TrainingState state, ShardPlan plan) {
        Map<String, Object> values = rank == 0 ? state.values() : Map.of();
        JsonValues.check(values, "values");
        return new RankState(state.step(), values, plan);
    }

    /** {@code former}: used again where it fits; null where there is none. */
    public static ShardPlan planOf(TrainingState state, ShardPlan former, int chunkBytes) {
        boolean fits = former != null && former.isFor(state.shards());
        return fits ? former : new ShardPlan(state.shards(), chunkBytes);
    }
}
