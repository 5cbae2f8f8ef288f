package io.hirundo.checkpoint;

import java.util.List;
import java.util.Map;

/**
 * Everything that a run needs to resume with bitwise equal results.
 *
 * @param step completed steps
 * @param shards tensors: parameters, master weights, optimizer moments
 * @param values everything else as JSON values (numbers, strings, booleans, lists, maps): consumed samples, seeds, configuration
 */
public record TrainingState(long step, List<StateShard> shards, Map<String, Object> values) {
    public TrainingState {
        shards = List.copyOf(shards);
        values = Map.copyOf(values);
    }
}
