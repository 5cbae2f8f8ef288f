package io.hirundo.testkit.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CommunicationException;
import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.fabric.Collective;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Clause;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** When one rank fails, all ranks soon learn which one it was, and nothing is left running. */
public interface FaultClauses extends FabricOffer {
    @Clause(
            value =
                    "A rank that aborts ends the collectives of others; their errors name rank, cause, collective and sequence number",
            remedy =
                    "World.abort(): must reach all ranks; 'rank 1 failed: CAUSE' and 'all-reduce SUM of 12 FP32, number 2 ...'")
    default void anAbortEndsWhatOthersWaitFor() {
        for (Collective kind : Collective.values()) {
            // On a busy machine a rank may still be at its first collective when another has ended two.
            var twoEnded = new CountDownLatch(3);
            var outcomes = FaultPrograms.soon(this, rank -> {
                for (int i = 0; i < 2; i++) {
                    FaultPrograms.begin(kind, rank, 12);
                }
                twoEnded.countDown();
                if (rank.number() == 1) {
                    twoEnded.await(40, TimeUnit.SECONDS);
                    Thread.sleep(50);
                    throw new IllegalStateException("no more power");
                }
                FaultPrograms.begin(kind, rank, 12);
                return null;
            });
            // The sender of a small transfer does not wait for the receiver.
            for (int rank :
                    kind == Collective.SEND ? List.<Integer>of() : kind.isBetweenTwo() ? List.of(0) : List.of(0, 2)) {
                FaultPrograms.requireNamed(outcomes.get(rank), "number 2 ", "rank 1 failed: no more power");
            }
        }
    }

    @Clause(
            value = "A rank that closes its world while others wait for it ends the world, and is named",
            remedy = "World.close(): ranks that wait for a closed rank must not wait until the deadline")
    default void aRankThatLeftIsNamed() {
        for (Collective kind : Collective.values()) {
            if (kind == Collective.SEND) {
                continue;
            }
            var outcomes = FaultPrograms.soon(FaultPrograms.ranks(this).withoutAbort(), rank -> {
                FaultPrograms.begin(kind, rank, 12);
                if (rank.number() == 1) {
                    throw new IllegalStateException("unseen by the others");
                }
                FaultPrograms.begin(kind, rank, 12);
                return null;
            });
            FaultPrograms.requireNamed(outcomes.get(0), "rank 1 closed its world", kind.toString());
        }
    }

    @Clause(
            value = "A missing rank is named after the deadline by the ranks that waited",
            remedy =
                    "a deadline for every wait; the message names the collective, its sequence number and the missing rank")
    default void whoDoesNotComeIsNamed() throws InterruptedException {
        FaultPrograms.withADeadline(seconds -> {
            var late = new CountDownLatch(1);
            var outcomes = Ranks.of(this, Ranks.mesh(1, 1, 3), seconds).outcomes(rank -> {
                if (rank.number() == 1) {
                    assertTrue(late.await(20, TimeUnit.SECONDS));
                } else {
                    try {
                        FaultPrograms.begin(Collective.ALL_REDUCE, rank, 12);
                    } finally {
                        late.countDown();
                    }
                }
                return null;
            });
            for (int rank : List.of(0, 2)) {
                FaultPrograms.requireNamed(outcomes.get(rank), "all-reduce SUM of 12 FP32, number 0 ", "rank 1 ");
            }
        });
    }

    @Clause(
            value = "A rank whose work before a collective does not end is named after the deadline",
            remedy = "the wait for the caller's queue counts toward the deadline, and can be interrupted")
    default void whoseWorkDoesNotEndIsNamed() throws InterruptedException {
        FaultPrograms.withADeadline(seconds -> {
            var outcomes = Ranks.of(this, Ranks.mesh(1, 1, 2), seconds).outcomes(rank -> {
                var queue = rank.number() == 1 ? new StuckQueue() : rank.queue();
                rank.all()
                        .allReduce(queue, rank.tensor(DType.FP32, 3), Reduction.SUM)
                        .await();
                return null;
            });
            outcomes.forEach(outcome -> FaultPrograms.requireNamed(outcome, "rank 1 "));
        });
    }

    @Clause(
            value = "A device failure within a collective ends the world for all, and is reported",
            remedy = "exceptions in communication threads: must end the world")
    default void reportsDeviceFailure() {
        var outcomes = FaultPrograms.soon(this, rank -> {
            Tensor x = rank.bench().device().allocate(MemoryCategory.ACTIVATIONS, Shape.of(3), DType.FP32);
            try {
                if (rank.number() == 1) {
                    x.close();
                }
                rank.all().barrier();
                rank.all().broadcast(rank.queue(), x, 0).await();
                rank.all().barrier();
            } finally {
                if (rank.number() != 1) {
                    x.close();
                }
            }
            return null;
        });
        outcomes.forEach(outcome -> FaultPrograms.requireNamed(outcome, "rank 1 failed: "));
    }

    @Clause(
            value = "A rank that is interrupted while it waits ends the world, and is named",
            remedy = "an interrupt during await(): end the world with its rank, and keep the thread's interrupt flag")
    default void anInterruptedRankIsNamed() {
        var outcomes = FaultPrograms.soon(this, rank -> {
            if (rank.number() == 1) {
                Thread.currentThread().interrupt();
                FaultPrograms.begin(Collective.ALL_REDUCE, rank, 12);
            }
            if (rank.number() == 0) {
                FaultPrograms.begin(Collective.ALL_REDUCE, rank, 12);
            }
            Thread.sleep(200);
            FaultPrograms.begin(Collective.ALL_REDUCE, rank, 12);
            return null;
        });
        outcomes.forEach(outcome -> FaultPrograms.requireNamed(outcome, "rank 1 was interrupted"));
    }

    @Clause(
            value =
                    "After an abort pending collectives fail with its cause, new ones fail, and no memory stays allocated",
            remedy = "the first abort counts; pending events happen; a collective fails before it allocates memory")
    default void everythingPendingFails() {
        var outcomes = FaultPrograms.soon(this, rank -> {
            var pending = new ArrayList<Pending>();
            if (rank.number() != 1) {
                for (int i = 0; i < 10; i++) {
                    pending.add(rank.all().allReduce(rank.queue(), rank.tensor(DType.FP32, 7), Reduction.SUM));
                }
                pending.add(rank.all().receive(rank.queue(), rank.tensor(DType.FP32, 7), 1));
            } else {
                Thread.sleep(100);
                rank.world().abort(new IllegalStateException("enough"));
                rank.world().abort(new IllegalStateException("more than enough"));
            }
            for (Pending each : pending) {
                requireEnough(each::await);
                assertTrue(
                        each.event().hasHappened(),
                        "the event of a pending collective has not happened after the world ended");
            }
            long held = rank.bench().books().live(MemoryCategory.COMMUNICATION);
            for (Collective kind : Collective.values()) {
                if (rank.number() < 2 || !kind.isBetweenTwo()) {
                    requireEnough(() -> FaultPrograms.begin(kind, rank, 12));
                }
            }
            assertEquals(
                    held,
                    rank.bench().books().live(MemoryCategory.COMMUNICATION),
                    "bytes allocated by a rejected collective");
            assertThrows(
                    CommunicationException.class,
                    () -> rank.world().group(List.of(rank.number())).barrier());
            return null;
        });
        for (var outcome : outcomes) {
            assertEquals(null, outcome.failure());
        }
    }

    /** A rank that learns that a world has ended may release memory, so nothing may read or write it any more. */
    @Clause(
            value =
                    "If a kernel runs when a world ends, await() waits for it: its operands may be closed after await()",
            remedy = "await() must not return while a kernel of the collective runs")
    default void aKernelThatRunsEndsFirst() {
        Assumptions.assumeTrue(sumsWithKernels(), "the fabric sums without the device's kernels");
        var slow = new SlowSums(backend());
        var outcomes = FaultPrograms.soon(FaultPrograms.ranks(this).on(slow), rank -> {
            if (rank.number() == 2) {
                assertTrue(
                        slow.begun.await(40, TimeUnit.SECONDS),
                        "no kernel of the device has begun a sum, see sumsWithKernels()");
                throw new IllegalStateException("enough");
            }
            var pair = rank.world().group(List.of(0, 1));
            Pending pending = pair.allReduce(rank.queue(), rank.tensor(DType.FP32, 12), Reduction.SUM);
            assertThrows(CommunicationException.class, pending::await);
            return ranksReadEachOther()
                    ? slow.running()
                    : slow.running(rank.bench().device());
        });
        assertEquals("enough", outcomes.get(2).failure().getMessage());
        assertEquals(
                List.of(0, 0),
                outcomes.stream().limit(2).map(Ranks.Outcome::value).toList(),
                "kernels that still ran");
    }

    private static void requireEnough(Runnable action) {
        String message = assertThrows(CommunicationException.class, action::run).getMessage();
        assertTrue(message.contains("rank 1 failed: enough"), message);
    }
}
