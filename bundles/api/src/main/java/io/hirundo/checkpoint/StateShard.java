package io.hirundo.checkpoint;

import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * A checkpoint shard: a slice of one tensor of the training state, as one rank holds it.
 *
 * @param key for instance {@code model/model.norm.weight} or {@code optimizer/exp_avg/model.norm.weight}
 * @param globalShape shape of the unsharded tensor
 * @param offset of the slice, one entry per dimension
 * @param local the slice, lent
 * @param replica 0 for the replica that is written, more for replicas on other ranks
 */
public record StateShard(String key, Shape globalShape, List<Long> offset, Tensor local, int replica) {
    public StateShard {
        offset = List.copyOf(offset);
    }
}
