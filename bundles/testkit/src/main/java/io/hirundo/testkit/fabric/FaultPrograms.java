package io.hirundo.testkit.fabric;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CommunicationException;
import io.hirundo.lib.fabric.Collective;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Programs in which a rank fails, and what the others must report. */
final class FaultPrograms {
    private FaultPrograms() {}

    /** Runs one collective of a kind. In point-to-point transfers, rank 0 sends or receives and rank 1 does the opposite. */
    static void begin(Collective kind, Rank rank, long elements) {
        var all = rank.all();
        var queue = rank.queue();
        Tensor whole = rank.tensor(DType.FP32, elements);
        Tensor part = rank.tensor(DType.FP32, elements / 3);
        switch (kind) {
            case ALL_REDUCE -> all.allReduce(queue, whole, Reduction.SUM).await();
            case ALL_GATHER -> all.allGather(queue, part, whole).await();
            case REDUCE_SCATTER -> all.reduceScatter(queue, whole, part).await();
            case BROADCAST -> all.broadcast(queue, whole, 0).await();
            case ALL_TO_ALL ->
                all.allToAll(queue, whole, rank.tensor(DType.FP32, elements)).await();
            case SEND, RECEIVE -> {
                if (rank.number() == (kind == Collective.SEND ? 0 : 1)) {
                    all.send(queue, whole, 1 - rank.number()).await();
                } else if (rank.number() < 2) {
                    all.receive(queue, whole, 1 - rank.number()).await();
                }
            }
            case BARRIER -> all.barrier();
        }
    }

    /** The rank failed with a {@link CommunicationException} whose message contains the words. */
    static void requireNamed(Ranks.Outcome<?> outcome, String... words) {
        assertNotNull(outcome.failure(), "a rank continued as if nothing had happened");
        String message = String.valueOf(outcome.failure().getMessage());
        assertTrue(
                outcome.failure() instanceof CommunicationException,
                () -> "not a CommunicationException: " + outcome.failure());
        for (String word : words) {
            assertTrue(message.contains(word), "the message does not contain '" + word + "': " + message);
        }
    }

    /** Three ranks that have two minutes for a collective. */
    static Ranks ranks(FabricOffer offer) {
        return Ranks.of(offer, Ranks.mesh(1, 1, 3), 120);
    }

    /**
     * Tries with a deadline of a second, which is all that ranks that come need; where that fails, with one of eight: on a busy machine a
     * second can pass before a rank that does come has begun.
     */
    static void withADeadline(Fixture fixture) throws InterruptedException {
        try {
            fixture.run(1);
        } catch (AssertionError perhapsBusy) {
            fixture.run(8);
        }
    }

    /** What is tried with a deadline for each wait. */
    interface Fixture {
        void run(int deadlineSeconds) throws InterruptedException;
    }

    static <T> List<Ranks.Outcome<T>> soon(FabricOffer offer, Ranks.Program<T> program) {
        return soon(ranks(offer), program);
    }

    /** Runs the program; fails if not all ranks have ended within 50 s: a busy machine takes its time, and the deadline is later. */
    static <T> List<Ranks.Outcome<T>> soon(Ranks ranks, Ranks.Program<T> program) {
        long start = System.nanoTime();
        var outcomes = ranks.outcomes(program);
        assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(50), "it took more than 50 s");
        return outcomes;
    }
}
