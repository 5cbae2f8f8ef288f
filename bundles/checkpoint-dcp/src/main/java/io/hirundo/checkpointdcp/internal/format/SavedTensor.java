package io.hirundo.checkpointdcp.internal.format;

import io.hirundo.tensor.DType;
import java.util.List;

/**
 * A tensor of a checkpoint.
 *
 * @param key its name in the training state
 * @param shape of the whole
 * @param shards its pieces; together they are the whole, and no two have an element in common
 */
public record SavedTensor(String key, DType dtype, List<Long> shape, List<SavedShard> shards) {
    public SavedTensor {
        shards = List.copyOf(shards);
    }

    public SavedTensor withShards(List<SavedShard> shards) {
        return new SavedTensor(key, dtype, shape, shards);
    }
}
