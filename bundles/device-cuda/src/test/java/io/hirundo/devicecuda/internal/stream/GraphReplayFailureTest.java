package io.hirundo.devicecuda.internal.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.devicecuda.internal.fixture.ReplayedLayer;
import io.hirundo.testkit.bench.Bench;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Captured work if the driver cannot create graphs, or other threads of the GPU interfere. */
class GraphReplayFailureTest extends GraphReplayLogTest {
    private static final int ILLEGAL_STATE = 401;
    private static final int LAUNCH_FAILED = 719;

    /** Also failures during the capture. */
    @ParameterizedTest
    @ValueSource(
            strings = {"cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiateWithFlags", "cuLaunchKernel"})
    void continuesIfTheDriverCannotCreateAGraph(String failing) {
        List<List<Double>> expected = expected();
        int live = stub.live();
        int graphs = stub.calls("cuGraphLaunch");
        try (Bench bench = Bench.open(stub.backendWithGraphs())) {
            var layer = new ReplayedLayer(bench);
            for (int round = 0; round < ROUNDS; round++) {
                try (var _ = bench.queue().repetition("layer")) {
                    layer.once();
                    if (round == ROUNDS_BEFORE - 1) {
                        stub.fail(failing, ILLEGAL_STATE);
                    }
                }
                assertEquals(expected.get(round), layer.values());
            }
        }
        assertEquals(graphs, stub.calls("cuGraphLaunch"));
        assertEquals(1, warnings().size(), log::toString);
        assertTrue(warnings().getFirst().contains("CUDA_ERROR_ILLEGAL_STATE"), log::toString);
        assertEquals(live, stub.live());
    }

    @Test
    void reportsAFailedGraphLaunch() {
        int live = stub.live();
        try (Bench bench = Bench.open(stub.backendWithGraphs())) {
            var layer = new ReplayedLayer(bench);
            for (int round = 0; round < ROUNDS_BEFORE; round++) {
                layer.repeat();
            }
            stub.fail("cuGraphLaunch", LAUNCH_FAILED);
            var failure = assertThrows(DeviceException.class, layer::repeat);
            assertEquals("CUDA: cuGraphLaunch failed: CUDA_ERROR_LAUNCH_FAILED", failure.getMessage());
        }
        assertEquals(live, stub.live());
    }

    /** One thread captures graphs repeatedly; the other requests more memory than there is, which synchronizes the GPU. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void capturesWhileOtherRanksSynchronize(int making) throws Exception {
        List<List<Double>> expected = expected();
        var shared = stub.backendWithGraphs().sharedBy(2);
        try (var threads = Executors.newFixedThreadPool(2)) {
            var benches = new ArrayList<Bench>();
            for (int rank = 0; rank < 2; rank++) {
                benches.add(threads.submit(() -> Bench.open(shared)).get());
            }
            stub.room(1 << 20);
            var made = new ArrayList<Future<?>>();
            for (int rank = 0; rank < making; rank++) {
                Bench bench = benches.get(rank);
                made.add(threads.submit(() -> makeGraphs(bench, expected)));
            }
            Callable<Integer> wanting = () -> {
                int rejected = 0;
                while (!made.getFirst().isDone()) {
                    assertThrows(
                            DeviceException.class, () -> take(benches.getLast().device(), 1 << 22));
                    rejected++;
                }
                return rejected;
            };
            if (making == 1) {
                assertTrue(threads.submit(wanting).get() > 0);
            }
            for (Future<?> each : made) {
                each.get();
            }
            benches.forEach(Bench::close);
        }
        assertEquals(List.of(), warnings());
    }

    private Void makeGraphs(Bench bench, List<List<Double>> expected) {
        for (int time = 0; time < 5; time++) {
            var layer = new ReplayedLayer(bench);
            for (int round = 0; round < ROUNDS; round++) {
                try (var _ = bench.queue().repetition("layer " + time)) {
                    layer.once();
                }
                assertEquals(expected.get(round), layer.values());
            }
        }
        return null;
    }
}
