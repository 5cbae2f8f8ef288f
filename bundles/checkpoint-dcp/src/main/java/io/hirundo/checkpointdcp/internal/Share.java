package io.hirundo.checkpointdcp.internal;

import io.hirundo.checkpoint.TrainingState;
import java.util.Map;

/**
 * What one rank writes in a save, but for the bytes of its tensors.
 *
 * @param step steps that are done
 * @param values as JSON; those of rank 0 count
 */
record Share(long step, Map<String, Object> values, SharePlan plan) {
  /** The share of a rank. */
  static Share of(int rank, TrainingState state, SharePlan plan) {
    Map<String, Object> values = rank == 0 ? state.values() : Map.of();
    JsonValues.check(values, "values");
    return new Share(state.step(), values, plan);
  }

  /** {@code former}: used again where it fits; null where there is none. */
  static SharePlan planOf(TrainingState state, SharePlan former, int chunkBytes) {
    boolean fits = former != null && former.isFor(state.shards());
    return fits ? former : new SharePlan(state.shards(), chunkBytes);
  }
}
