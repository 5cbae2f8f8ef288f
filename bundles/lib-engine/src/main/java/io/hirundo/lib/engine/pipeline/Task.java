package io.hirundo.lib.engine.pipeline;

import io.hirundo.schedule.Action;
import java.util.List;

/**
 * One action of a pipeline rank with the transfers before and after it.
 *
 * @param action the action; for a fused backward pass its input-gradient half
 * @param fused whether one task computes both halves of the backward pass
 * @param input source of the input activation or gradient; null at the ends of the model
 * @param output destination of the output; null at the ends of the model, and for weight gradients
 * @param released earlier sends, by number, that the peer has certainly received once {@code input} is here
 */
record Task(Action action, boolean fused, Route input, Route output, List<Integer> released) {
    /**
     * One end of a transfer between ranks, or between two chunks of the same rank.
     *
     * @param peer pipeline rank of the other end; this rank's own number between two of its chunks
     * @param number for a receive, the sequence number among the transfers from that peer; for a send, the sequence number among all sends of
     *    this rank; within a rank, a unique number
     */
    record Route(int peer, int number) {}
}
