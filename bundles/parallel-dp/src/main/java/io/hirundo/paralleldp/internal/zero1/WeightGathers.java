package io.hirundo.paralleldp.internal.zero1;

import io.hirundo.device.Queue;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Brings changed weights to every rank, a bucket at a time. All gathers are begun at once and follow one another, so that the
 * network is never idle: one that began only when the bucket before it is needed would have no more than that bucket's work
 * to hide behind, and an embedding is hardly any.
 */
final class WeightGathers {
    private final List<Bucket> inOrder;
    private final Deque<Bucket> running = new ArrayDeque<>();

    /**
     * @param inOrder those first that a forward needs first
     */
    WeightGathers(List<Bucket> inOrder) {
        this.inOrder = List.copyOf(inOrder);
    }

    /** Begins. What is still on its way is out of date: its end is awaited. */
    void restart(Queue queue) {
        awaitAll(queue);
        for (Bucket bucket : inOrder) {
            bucket.weights().changed(queue);
            bucket.weights().fetch(queue);
            running.add(bucket);
        }
    }

    /** Later work of the queue may read the first buckets. */
    void awaitFirst(Queue queue, int buckets) {
        while (running.size() > Math.max(0, inOrder.size() - buckets)) {
            running.remove().weights().awaitGather(queue);
        }
    }

    void awaitAll(Queue queue) {
        awaitFirst(queue, inOrder.size());
    }
}
