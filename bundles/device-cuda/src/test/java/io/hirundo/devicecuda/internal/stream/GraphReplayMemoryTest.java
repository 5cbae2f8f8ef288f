package io.hirundo.devicecuda.internal.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.device.Device;
import io.hirundo.devicecuda.internal.fixture.ReplayedLayer;
import io.hirundo.devicecuda.internal.fixture.TwoQueues;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Captured work with too little memory still runs. */
class GraphReplayMemoryTest extends GraphReplayLogTest {
    @Test
    void doesNotCaptureWithoutMemoryForOffsets() {
        int bytes = 1 << 16;
        int graphs = stub.calls("cuGraphLaunch");
        try (Bench bench = Bench.open(stub.backendWithGraphs())) {
            var kernels = bench.device().kernels().elementwise();
            kernels.fill(bench.queue(), bench.tensor(DType.FP32, 10), 0);
            stub.room(bytes);
            for (int round = 0; round < ROUNDS; round++) {
                Tensor outlives;
                try (var _ = bench.queue().repetition("work")) {
                    try (Tensor tensor = take(bench.device(), bytes)) {
                        for (int i = 0; i < 5; i++) {
                            kernels.fill(bench.queue(), tensor, 1);
                        }
                    }
                    // Now there is no more memory.
                    outlives = take(bench.device(), bytes);
                    kernels.fill(bench.queue(), outlives, round);
                }
                assertEquals(round, bench.read(outlives)[9]);
                outlives.close();
            }
        }
        assertEquals(graphs, stub.calls("cuGraphLaunch"));
        assertEquals(
                List.of(
                        "WARNING work: no longer captured in CUDA graphs: there are no 65536 bytes left for memory at fixed places"),
                log);
    }

    @Test
    void reclaimsMemoryOfIdleGraphs() {
        List<List<Double>> expected = expected();
        int live = stub.live();
        try (Bench bench = Bench.open(stub.backendWithGraphs())) {
            var layer = new ReplayedLayer(bench);
            int round = 0;
            for (; round <= ROUNDS_BEFORE; round++) {
                assertEquals(expected.get(round), layer.repeatAndRead());
            }
            stub.room(0);
            // While the work is not running.
            try (Tensor other = take(bench.device(), ReplayedLayer.BYTES)) {
                bench.device().kernels().elementwise().fill(bench.queue(), other, 7);
                assertThrows(DeviceException.class, () -> take(bench.device(), 4096));
                assertThrows(DeviceException.class, layer::repeat, "in the middle of what was begun");
                assertEquals(7, bench.read(other)[0]);
            }
            stub.room(-1);
            int graphs = stub.calls("cuGraphLaunch");
            for (; round < ROUNDS; round++) {
                assertEquals(expected.get(round), layer.repeatAndRead());
            }
            assertTrue(stub.calls("cuGraphLaunch") > graphs);
        }
        assertEquals(List.of(), warnings());
        assertEquals(live, stub.live());
    }

    /** Work that differs from the captured one needs no more memory than without graphs. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 9})
    void placesMemoryOfDifferentWorkInTheFixedMemory(int differing) {
        int bytes = 1 << 16;
        try (Bench bench = Bench.open(stub.backendWithGraphs())) {
            var kernels = bench.device().kernels().elementwise();
            Tensor sum = bench.tensor(DType.FP32, i -> 0, bytes / 2 / Float.BYTES);
            stub.room(bytes + 2048);
            double expected = 0;
            for (int round = 0; round < ROUNDS; round++) {
                try (var _ = bench.queue().repetition("work");
                        Tensor first = take(bench.device(), bytes / 2)) {
                    kernels.fill(bench.queue(), first, round);
                    if (round == differing) {
                        take(bench.device(), 1024).close();
                    }
                    try (Tensor second = take(bench.device(), bytes / 2)) {
                        kernels.fill(bench.queue(), second, 1);
                        for (int i = 0; i < 4; i++) {
                            kernels.add(bench.queue(), first, second);
                        }
                        kernels.add(bench.queue(), second, sum);
                    }
                }
                expected += 4 * round + 1;
                assertEquals(expected, bench.read(sum)[5], "round " + round);
            }
        }
        assertEquals(List.of(), warnings());
    }

    /** Neither during the work, while nothing is allocated, nor after it, while something is. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void keepsMemoryOfGraphsInUse(boolean isUnderWay) {
        try (var two = new TwoQueues(stub)) {
            var lasting = new ArrayList<Tensor>();
            Tensor sum = two.take();
            two.kernels.fill(two.queue, sum, 0);
            double expected = 0;
            for (int round = 0; round < ROUNDS; round++) {
                boolean isWanted = round == ROUNDS_BEFORE + 1;
                try (var _ = two.queue.repetition("work")) {
                    Tensor first = two.filled(round);
                    if (isWanted && !isUnderWay) {
                        lasting.add(first);
                    } else {
                        first.close();
                    }
                    if (isWanted && isUnderWay) {
                        want(two.device);
                    }
                    try (Tensor second = two.filled(round)) {
                        two.kernels.add(two.queue, second, sum);
                    }
                }
                if (isWanted && !isUnderWay) {
                    want(two.device);
                    assertEquals(round, two.read(two.queue, lasting.getFirst())[7]);
                }
                expected += round;
                assertEquals(expected, two.read(two.queue, sum)[7], "round " + round);
            }
        }
        assertEquals(List.of(), warnings());
    }

    /** Others request more than the GPU has. */
    private void want(Device device) {
        stub.room(0);
        TwoQueues.elsewhere(() -> assertThrows(DeviceException.class, () -> take(device, 1 << 16)));
        stub.room(-1);
    }

    @Test
    void recapturesAfterMemoryWasReclaimed() {
        List<List<Double>> expected = expected();
        try (Bench bench = Bench.open(stub.backendWithGraphs())) {
            var layer = new ReplayedLayer(bench);
            for (int round = 0; round < ROUNDS; round++) {
                if (round == 5) {
                    stub.room(0);
                    take(bench.device(), ReplayedLayer.BYTES).close();
                    stub.room(-1);
                }
                int graphs = stub.calls("cuGraphLaunch");
                assertEquals(expected.get(round), layer.repeatAndRead());
                boolean isLearning = round < ROUNDS_BEFORE || (round >= 5 && round < 5 + ROUNDS_BEFORE);
                assertEquals(isLearning ? 0 : 1, stub.calls("cuGraphLaunch") - graphs, "round " + round);
            }
        }
        assertEquals(List.of(), warnings());
        assertEquals(
                1,
                log.stream()
                        .filter(line -> line.endsWith(
                                "re-capturing the CUDA graph: the memory of its graphs was needed for others"))
                        .count());
    }
}
