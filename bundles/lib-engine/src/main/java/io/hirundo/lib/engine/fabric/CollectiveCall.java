package io.hirundo.lib.engine.fabric;

import io.hirundo.device.Queue;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.Tensor;

/**
 * A collective, or a message between two ranks, that is about to begin.
 *
 * @param kind which it is
 * @param axes of the ranks, in words: {@code context+data}
 * @param group of more than one rank, which nobody looks at
 * @param after what it begins after
 * @param input of this rank; null for {@link Kind#RECEIVE}
 * @param output of this rank, perhaps the input; null for {@link Kind#SEND}
 * @param reduction of an all-reduce; otherwise null
 * @param peer the root of a broadcast, or the other place of a message
 */
public record CollectiveCall(
        Kind kind,
        String axes,
        ProcessGroup group,
        Queue after,
        Tensor input,
        Tensor output,
        Reduction reduction,
        int peer) {
    /** What a collective does. */
    public enum Kind {
        ALL_REDUCE("all-reduce"),
        ALL_GATHER("all-gather"),
        REDUCE_SCATTER("reduce-scatter"),
        BROADCAST("broadcast"),
        ALL_TO_ALL("all-to-all"),
        SEND("send"),
        RECEIVE("receive");

        private final String title;

        Kind(String title) {
            this.title = title;
        }

        @Override
        public String toString() {
            return title;
        }
    }

    /** The larger one of both. */
    public Tensor larger() {
        if (input == null || output == null) {
            return input == null ? output : input;
        }
        return input.elements() >= output.elements() ? input : output;
    }
}
