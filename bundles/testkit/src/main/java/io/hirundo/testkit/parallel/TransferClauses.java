package io.hirundo.testkit.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.parallel.DataParallel;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.parallel.DataFixture.Run;
import io.hirundo.testkit.parallel.LateFabric.LateWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Collectives: when they are awaited, and what they may not change. */
public interface TransferClauses extends DataParallelOffer {
    @Clause(
            value = "Strategies of sameBits() have bitwise the same gradients, and layers read the same weights",
            remedy =
                    "overlap changes when collectives run, and nothing else: buckets, shards and the order of sums stay")
    default void overlapChangesNoBit() {
        for (int ranks : ranks()) {
            List<Map<String, double[]>> expected = gradients(strategy(), ranks);
            for (DataParallel other : sameBits()) {
                List<Map<String, double[]>> found = gradients(other, ranks);
                for (int rank = 0; rank < ranks; rank++) {
                    assertEquals(
                            expected.get(rank).keySet(), found.get(rank).keySet(), "runs that rank " + rank + " owns");
                    Map<String, double[]> ofRank = found.get(rank);
                    expected.get(rank)
                            .forEach((run, values) ->
                                    assertArrayEquals(values, ofRank.get(run), () -> "gradients of " + run));
                }
            }
        }
    }

    private List<Map<String, double[]>> gradients(DataParallel strategy, int ranks) {
        return DataRanks.of(this, strategy, ranks).run(fixture -> {
            var gradients = new TreeMap<String, double[]>();
            fixture.parameters.allocateGradients();
            for (int step = 0; step < 2; step++) {
                fixture.update(step);
                fixture.requireForward(step, Map.of());
                fixture.accumulate(step, 2, false);
                for (Run run : fixture.ownedGradients()) {
                    gradients.put(
                            run.spec().name() + " from element " + run.firstElement() + " in step " + step,
                            run.values());
                }
            }
            return gradients;
        });
    }

    @Clause(
            value = "close() waits for collectives in flight, so that none writes to released memory",
            remedy =
                    "close(): gathers after weightsChanged(), and sums after gradientReady(), must end before tensors are closed")
    default void closesAfterItsCollectives() {
        for (int ranks : ranks()) {
            for (boolean afterBackward : new boolean[] {false, true}) {
                var left = new ArrayList<String>();
                DataRanks.of(this, ranks).run(fixture -> {
                    fixture.parameters.allocateGradients();
                    fixture.update(0);
                    if (afterBackward) {
                        fixture.parameters.zeroGradients(fixture.queue());
                        fixture.backward(0, 1, false);
                    }
                    fixture.closeParameters();
                    synchronized (left) {
                        left.addAll(((LateWorld) fixture.world).inFlight());
                    }
                    return null;
                });
                assertEquals(
                        List.of(),
                        left,
                        ranks + " ranks, closed after " + (afterBackward ? "a backward" : "an update")
                                + ": collectives in flight");
            }
        }
    }

    @Clause(value = "A single rank communicates nothing", remedy = "collectives of a group of one rank: leave them out")
    default void oneRankCommunicatesNothing() {
        if (!ranks().contains(1)) {
            return;
        }
        int collectives = DataRanks.of(this, 1)
                .run(fixture -> {
                    fixture.parameters.allocateGradients();
                    fixture.update(0);
                    fixture.accumulate(0, 2, false);
                    return ((LateWorld) fixture.world).collectives();
                })
                .getFirst();
        assertEquals(0, collectives, "collectives of a step");
    }
}
