package io.hirundo.paralleldp.internal.zero1;

import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One bucket's way to summed gradients: collects its parameters, starts the sum when the last has come. Ranks see their
 * parameters come in the same order, so that they start the sums of their buckets in the same order too.
 */
final class GradientSums {
    private final Bucket bucket;
    private final Set<String> missing = new LinkedHashSet<>();
    private final List<Pending> before = new ArrayList<>();
    private final List<String> names;
    private final boolean alone;
    private boolean started;
    private Pending sum;

    /**
     * @param names of the bucket's parameters
     * @param alone whether there is no other rank to hear of
     */
    GradientSums(Bucket bucket, List<String> names, boolean alone) {
        this.bucket = bucket;
        this.alone = alone;
        this.names = List.copyOf(names);
        missing.addAll(names);
    }

    void restart(Queue queue) {
        await(queue);
        before.clear();
        missing.addAll(names);
        started = false;
    }

    /** Takes note of a parameter and what must have ended before. Whether this was the last one. */
    boolean ready(String name, List<Pending> pendings) {
        if (!missing.remove(name)) {
            throw new IllegalStateException(
                    "the gradient of " + name + " is ready for the second time since gradients were zeroed");
        }
        before.addAll(pendings);
        return missing.isEmpty();
    }

    boolean isStarted() {
        return started;
    }

    /** Starts the sum, if it has not been started, when what it needs has ended. Whether there is a sum now. */
    boolean start(Queue queue, boolean inBf16) {
        if (!missing.isEmpty()) {
            throw new IllegalStateException("gradients are to be summed, but those of " + missing + " are not ready");
        }
        if (started) {
            return false;
        }
        started = true;
        before.forEach(pending -> queue.await(pending.event()));
        before.clear();
        if (!alone) {
            sum = bucket.reduceScatterGradients(queue, inBf16);
        }
        return !alone;
    }

    /** Later work of the queue finds this rank's slice of the bucket summed. */
    void await(Queue queue) {
        if (sum != null) {
            Pending running = sum;
            sum = null;
            queue.await(running.event());
            bucket.finishReduction(queue);
        }
    }
}
