package io.hirundo.testkit.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.parallel.DataParallel;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.parallel.DataTrial.Run;
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
        return DataRanks.of(this, strategy, ranks).run(trial -> {
            var gradients = new TreeMap<String, double[]>();
            trial.parameters.allocateGradients();
            for (int step = 0; step < 2; step++) {
                trial.update(step);
                trial.requireForward(step, Map.of());
                trial.accumulate(step, 2, false);
                for (Run run : trial.ownedGradients()) {
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
                DataRanks.of(this, ranks).run(trial -> {
                    trial.parameters.allocateGradients();
                    trial.update(0);
                    if (afterBackward) {
                        trial.parameters.zeroGradients(trial.queue());
                        trial.backward(0, 1, false);
                    }
                    trial.closeParameters();
                    synchronized (left) {
                        left.addAll(((LateWorld) trial.world).inFlight());
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
                .run(trial -> {
                    trial.parameters.allocateGradients();
                    trial.update(0);
                    trial.accumulate(0, 2, false);
                    return ((LateWorld) trial.world).collectives();
                })
                .getFirst();
        assertEquals(0, collectives, "collectives of a step");
    }
}
