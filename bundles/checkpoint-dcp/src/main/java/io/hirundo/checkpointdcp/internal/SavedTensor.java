package io.hirundo.checkpointdcp.internal;

import io.hirundo.tensor.DType;
import java.util.List;

/**
 * A tensor of a checkpoint.
 *
 * @param key its name in the training state
 * @param shape of the whole
 * @param shards its pieces; together they are the whole, and no two have an element in common
 */
record SavedTensor(String key, DType dtype, List<Long> shape, List<SavedShard> shards) {
  SavedTensor {
    shards = List.copyOf(shards);
  }

  SavedTensor withShards(List<SavedShard> shards) {
    return new SavedTensor(key, dtype, shape, shards);
  }
}
