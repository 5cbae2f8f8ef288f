package io.hirundo.commlocal.internal.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CommunicationException;
import io.hirundo.lib.fabric.Collective;
import io.hirundo.lib.fabric.Signature;
import io.hirundo.lib.fabric.local.TransferCost;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.fabric.Rank;
import io.hirundo.testkit.fabric.Ranks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** An imagined network takes the time it says it takes, and no processor. */
class LinkTest {
    /** What a busy machine may add in the best of many runs: the promise is a tenth of a millisecond on an idle one. */
    private static final long TOLERANCE_NANOS = 3_000_000;

    /** A machine that is busy delays every thread now and then, but not both ranks in every run of three minutes. */
    private static final long TRY_NANOS = 180_000_000_000L;

    /** A kilobyte takes a microsecond. */
    private static final LinkOptions SLOW = new LinkOptions(2000, 0.001);

    @Test
    void bytesAreThoseOfRings() {
        Function<Collective, Long> bytes =
                kind -> TransferCost.sentBytes(new Signature(kind, null, 0, DType.FP32, 300), 4);
        assertEquals(1800, bytes.apply(Collective.ALL_REDUCE));
        for (Collective kind : List.of(Collective.ALL_GATHER, Collective.REDUCE_SCATTER, Collective.ALL_TO_ALL)) {
            assertEquals(900, bytes.apply(kind));
        }
        for (Collective kind : List.of(Collective.BROADCAST, Collective.SEND, Collective.RECEIVE)) {
            assertEquals(1200, bytes.apply(kind));
        }
        assertEquals(0, TransferCost.sentBytes(Signature.BARRIER, 4));
        var gather = new Signature(Collective.ALL_GATHER, null, 0, DType.FP32, 300);
        assertEquals(1_002_000, new TransferCost(2, 0.0009).nanos(gather, 4));
    }

    @Test
    void aTransferTakesLatencyAndBytes() {
        // 20 000 elements: an all-reduce of two ranks sends 80 000 bytes, 80 ms, and its latency.
        assertTakes(82_000_000, rank -> {
            var x = rank.tensor(DType.FP32, 20_000, i -> 1);
            return List.of(rank.all().allReduce(rank.queue(), x, Reduction.SUM));
        });
    }

    @Test
    void transfersOfARankInAGroupFollowEachOther() {
        assertTakes(66_000_000, rank -> {
            var pending = new ArrayList<Pending>();
            for (int i = 0; i < 3; i++) {
                pending.add(rank.all().broadcast(rank.queue(), rank.tensor(DType.FP32, 5_000), 0));
            }
            return pending;
        });
    }

    @Test
    void groupsAndDirectionsHaveLinksOfTheirOwn() {
        assertTakes(42_000_000, rank -> {
            ProcessGroup all = rank.all();
            ProcessGroup same = rank.world().along(Axis.DATA);
            var x = rank.tensor(DType.FP32, 10_000);
            return List.of(
                    same.broadcast(rank.queue(), rank.tensor(DType.FP32, 10_000), 0),
                    all.send(rank.queue(), x, 1 - rank.number()),
                    all.receive(rank.queue(), rank.tensor(DType.FP32, 10_000), 1 - rank.number()));
        });
    }

    @Test
    void kernelsRunDuringATransfer() {
        var most = new AtomicInteger();
        assertTakes(82_000_000, rank -> {
            var pending = rank.all().broadcast(rank.queue(), rank.tensor(DType.FP32, 20_000), 0);
            int kernels = 0;
            var x = rank.tensor(DType.FP32, 100);
            while (!pending.event().hasHappened()) {
                rank.bench().device().kernels().elementwise().fill(rank.queue(), x, 1);
                kernels++;
                LockSupport.parkNanos(1_000_000);
            }
            most.accumulateAndGet(kernels, Math::max);
            return List.of(pending);
        });
        assertTrue(most.get() > 5, most + " kernels during the transfer");
    }

    @Test
    void anEndIsNotDelayed() {
        var outcomes = ranks(new LinkOptions(60_000_000, 1)).outcomes(rank -> {
            if (rank.number() == 1) {
                rank.all().allReduce(rank.queue(), rank.tensor(DType.FP32, 3), Reduction.SUM);
                Thread.sleep(100);
                throw new IllegalStateException("enough");
            }
            long start = System.nanoTime();
            try {
                rank.all()
                        .allReduce(rank.queue(), rank.tensor(DType.FP32, 3), Reduction.SUM)
                        .await();
            } catch (CommunicationException endedBeforeItWasSent) {
                // A busy machine may begin this rank's collective when the other has failed.
            }
            return System.nanoTime() - start;
        });
        assertTrue(outcomes.get(0).value() < 30_000_000_000L, "it waited for the link");
    }

    /**
     * Never less, and in the best of many runs hardly more: it is repeated until one is.
     *
     * @param work begins what is awaited; the time runs from when all ranks begin
     */
    private static void assertTakes(long expectedNanos, Function<Rank, List<? extends Pending>> work) {
        long start = System.nanoTime();
        long best = Long.MAX_VALUE;
        while (best > expectedNanos + TOLERANCE_NANOS && System.nanoTime() - start < TRY_NANOS) {
            long longest = 0;
            for (var outcome : ranks(SLOW).outcomes(rank -> nanos(rank, work))) {
                assertNull(outcome.failure(), () -> outcome.failure().toString());
                assertTrue(outcome.value() >= expectedNanos, outcome.value() + " ns are less than " + expectedNanos);
                longest = Math.max(longest, outcome.value());
            }
            best = Math.min(best, longest);
        }
        assertTrue(best <= expectedNanos + TOLERANCE_NANOS, best + " ns are more than " + expectedNanos);
    }

    private static Ranks ranks(LinkOptions link) {
        var fabric = new LocalFactory().create(new LocalOptions(120, link));
        return new Ranks(
                Ranks.mesh(1, 1, 2),
                List.of(fabric, fabric),
                new LocalFabricTest().backend(),
                world -> List.of(),
                true);
    }

    private static long nanos(Rank rank, Function<Rank, List<? extends Pending>> work) {
        rank.world().along(Axis.DATA, Axis.TENSOR).barrier();
        long start = System.nanoTime();
        work.apply(rank).forEach(Pending::await);
        return System.nanoTime() - start;
    }
}
