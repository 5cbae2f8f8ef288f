package io.hirundo.devicecuda.internal.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecuda.internal.fixture.ProgramComparison;
import io.hirundo.devicecuda.internal.fixture.RandomProgram;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random repeated work with occasional changes, with graphs: every tensor has its expected values. The stub executes streams as late as
 * possible and overwrites unallocated memory.
 */
class RandomGraphReplayTest {
    private static final int ROUNDS = 100;

    @ParameterizedTest
    @ValueSource(ints = {5, 8, 10, 11})
    @Tag("soak")
    void everyTensorHasItsExpectedValuesWithMoreSeeds(int seed) throws InterruptedException {
        everyTensorHasItsExpectedValues(seed);
    }

    /** Each number of disturbances, with and without other work. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 6, 7, 9})
    void everyTensorHasItsExpectedValues(int seed) throws InterruptedException {
        StubCuda stub = StubCuda.orSkip();
        int live = stub.live();
        int graphs = stub.calls("cuGraphLaunch");
        var random = new Random(seed);
        // From no disturbances between kernels to many.
        int disturbances = seed % 4 * 40;
        try (var trial = new ProgramComparison(stub.backendWithGraphs(), random)) {
            var steps = new RandomProgram(random, disturbances);
            var others = new RandomProgram(random, disturbances);
            var between = new RandomProgram(random, 200);
            int changes = 0;
            boolean isTidy = true;
            for (int round = 0; round < ROUNDS; round++) {
                if (random.nextInt(10) == 0) {
                    steps.change();
                    others.change();
                    changes++;
                    isTidy = random.nextInt(4) != 0;
                }
                // The device soon stops observing work that changes too often.
                String name = "steps " + changes / 2;
                if (random.nextInt(12) == 0) {
                    trial.onceTimed(name, steps);
                } else {
                    trial.once(name, random.nextInt(12) == 0 ? steps.changed() : steps, isTidy);
                }
                if (random.nextInt(4) == 0) {
                    trial.once(null, between, true);
                }
                if (seed % 3 == 0) {
                    trial.once("others " + changes / 2, others, isTidy);
                }
            }
        }
        assertEquals(live, stub.live());
        int launched = stub.calls("cuGraphLaunch") - graphs;
        assertTrue(launched > 0, "graphs that were launched: " + launched);
    }
}
