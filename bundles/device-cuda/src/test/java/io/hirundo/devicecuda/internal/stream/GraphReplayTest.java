package io.hirundo.devicecuda.internal.stream;

import static io.hirundo.devicecuda.internal.CudaDeviceTest.all;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecuda.internal.CudaOptions;
import io.hirundo.devicecuda.internal.fixture.ReplayedLayer;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.devicecuda.internal.fixture.TwoQueues;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Captured work gives the same results as without graphs, whatever other queues do with its memory. */
class GraphReplayTest {
    /** From this round on graphs are replayed. */
    private static final int FIRST_IN_GRAPHS = 4;
    /** From this round on a GEMM has another operand. */
    private static final int OTHER_WEIGHTS = 8;

    private StubCuda stub;

    @BeforeEach
    void stub() {
        stub = StubCuda.orSkip();
    }

    /** Driver calls and GEMMs of the library in one round. */
    private record Calls(int launches, int products, int graphs, int taken, int given) {
        static Calls of(StubCuda stub) {
            return new Calls(
                    stub.calls("cuLaunchKernel"),
                    stub.ofCublasLt("products"),
                    stub.calls("cuGraphLaunch"),
                    stub.calls("cuMemAllocAsync"),
                    stub.calls("cuMemFreeAsync"));
        }

        Calls since(Calls before) {
            return new Calls(
                    launches - before.launches,
                    products - before.products,
                    graphs - before.graphs,
                    taken - before.taken,
                    given - before.given);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {CudaOptions.OWN, CudaOptions.CUBLASLT})
    void graphsChangeNoResult(String gemm) {
        var expected = new ArrayList<List<Double>>();
        int products = gemm.equals(CudaOptions.OWN) ? 0 : 1;
        try (Bench bench = Bench.open(stub.backend(gemm, Path.of(stub.toolkit())))) {
            var layer = new ReplayedLayer(bench);
            for (int round = 0; round < TwoQueues.ROUNDS; round++) {
                Calls before = Calls.of(stub);
                layer.exchangeWeights(round == OTHER_WEIGHTS);
                layer.repeat();
                assertEquals(
                        new Calls(ReplayedLayer.CALLS - products, products, 0, 5, 5),
                        Calls.of(stub).since(before));
                expected.add(layer.values());
            }
        }
        try (Bench bench = Bench.open(stub.backendWithGraphs(gemm))) {
            var layer = new ReplayedLayer(bench);
            for (int round = 0; round < TwoQueues.ROUNDS; round++) {
                Calls before = Calls.of(stub);
                layer.exchangeWeights(round == OTHER_WEIGHTS);
                layer.repeat();
                if (round >= FIRST_IN_GRAPHS && round < OTHER_WEIGHTS) {
                    assertEquals(new Calls(0, 0, 1, 0, 0), Calls.of(stub).since(before), "round " + round);
                }
                assertEquals(expected.get(round), layer.values(), "round " + round);
            }
        }
    }

    /** From the first round on, or only after graphs exist. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 7})
    void keepsMemoryThatAnotherQueueReadsLate(int fromRound) {
        try (var two = new TwoQueues(stub)) {
            two.rounds(round -> {
                Tensor lent = two.filled(round);
                if (round >= fromRound) {
                    two.lend(lent);
                }
                lent.close();
                two.filled(-100).close();
                two.queue.drain();
                assertEquals(round >= fromRound, stub.pending() > 0, "the other queue has still to read");
            });
            double expected = 0;
            for (int round = fromRound; round < TwoQueues.ROUNDS; round++) {
                expected += round;
            }
            assertArrayEquals(all(expected), two.read(two.other, two.sum));
        }
    }

    /** The memory belonged to another queue before, whose work may be pending. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 7})
    void keepsMemoryThatAnotherQueueWritesEarly(int fromRound) {
        try (var two = new TwoQueues(stub)) {
            var found = new ArrayList<Tensor>();
            two.rounds(round -> {
                two.filled(-1).close();
                Tensor tensor = two.take();
                if (round < fromRound) {
                    two.kernels.fill(two.queue, tensor, 5);
                } else {
                    TwoQueues.elsewhere(() -> two.kernels.fill(two.other, tensor, 5));
                    two.other.drain();
                }
                Tensor kept = two.take();
                two.kernels.copy(two.queue, tensor, kept);
                found.add(kept);
                tensor.close();
            });
            found.forEach(tensor -> assertArrayEquals(all(5), two.read(two.queue, tensor)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 7})
    void allowsAnotherThreadToClose(int fromRound) {
        int graphs = stub.calls("cuGraphLaunch");
        try (var two = new TwoQueues(stub)) {
            Tensor last = two.take();
            two.rounds(round -> {
                Tensor tensor = two.filled(round);
                Tensor second = two.filled(3);
                if (round < fromRound) {
                    tensor.close();
                } else {
                    TwoQueues.elsewhere(tensor::close);
                }
                Tensor third = two.filled(4);
                two.kernels.add(two.queue, second, third);
                two.kernels.copy(two.queue, third, last);
                second.close();
                third.close();
                assertArrayEquals(all(7), two.read(two.queue, last));
            });
        }
        assertTrue(stub.calls("cuGraphLaunch") > graphs, "graphs come again");
    }

    /** Of the last round, or of one before graphs. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 7})
    void keepsTensorsThatOutliveTheirRound(int fromRound) {
        try (var two = new TwoQueues(stub)) {
            var kept = new ArrayList<Tensor>();
            two.rounds(round -> {
                Tensor tensor = two.filled(round);
                two.filled(-7).close();
                if (round >= fromRound) {
                    kept.add(tensor);
                } else {
                    tensor.close();
                }
            });
            for (int i = 0; i < kept.size(); i++) {
                assertArrayEquals(all(fromRound + i), two.read(two.queue, kept.get(i)));
            }
            kept.forEach(Tensor::close);
        }
    }

    @Test
    void freesTensorsThatAreClosedInTheNextRound() {
        int live = stub.live();
        try (var two = new TwoQueues(stub)) {
            var kept = new ArrayList<Tensor>();
            two.rounds(round -> {
                if (!kept.isEmpty()) {
                    assertArrayEquals(all(round - 1), two.read(two.queue, kept.getFirst()));
                    kept.removeFirst().close();
                }
                kept.add(two.filled(round));
                two.filled(-7).close();
            });
        }
        assertEquals(live, stub.live());
    }
}
