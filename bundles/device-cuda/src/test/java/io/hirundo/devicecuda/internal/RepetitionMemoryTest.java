package io.hirundo.devicecuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecuda.internal.repeated.RepeatedWork;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.Bench;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work that comes again where memory is lacking, or the driver makes no graphs: it is done all the same. */
class RepetitionMemoryTest {
  private static final int ROUNDS = 14;
  /** Rounds until there are graphs. */
  private static final int ROUNDS_BEFORE = 4;

  private static final int ILLEGAL_STATE = 401;
  private static final int LAUNCH_FAILED = 719;

  /** Kept, so that nobody collects it with its handler. */
  private final Logger logger = Logger.getLogger(RepeatedWork.class.getName());

  private final List<String> log = new ArrayList<>();
  private final Handler listener =
      new Handler() {
        @Override
        public void publish(LogRecord said) {
          log.add(said.getLevel() + " " + MessageFormat.format(said.getMessage(), said.getParameters()));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private StubCuda stub;

  @BeforeEach
  void stub() {
    stub = StubCuda.orSkip();
    logger.addHandler(listener);
  }

  @AfterEach
  void asItWas() {
    logger.removeHandler(listener);
    if (stub != null) {
      stub.room(-1);
      stub.breakContext(0);
    }
  }

  private List<String> warnings() {
    return log.stream().filter(line -> line.startsWith("WARNING")).toList();
  }

  /** What a layer has after each round without graphs. */
  private List<List<Double>> expected() {
    var expected = new ArrayList<List<Double>>();
    try (Bench bench = Bench.open(stub.backend())) {
      var layer = new RepeatedLayer(bench);
      for (int round = 0; round < ROUNDS; round++) {
        expected.add(layer.repeatAndRead());
      }
    }
    return expected;
  }

  private static Tensor take(Device device, long bytes) {
    return device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(bytes / Float.BYTES), DType.FP32);
  }

  @Test
  void withoutMemoryForPlacesThereAreNoGraphs() {
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
          // Now there is no more.
          outlives = take(bench.device(), bytes);
          kernels.fill(bench.queue(), outlives, round);
        }
        assertEquals(round, bench.read(outlives)[9]);
        outlives.close();
      }
    }
    assertEquals(graphs, stub.calls("cuGraphLaunch"));
    assertEquals(
        List.of("WARNING work: goes to the GPU without graphs from now on: there are no 65536 bytes left for memory at fixed places"),
        log);
  }

  @Test
  void othersGetTheMemoryOfGraphsThatWait() {
    List<List<Double>> expected = expected();
    int live = stub.live();
    try (Bench bench = Bench.open(stub.backendWithGraphs())) {
      var layer = new RepeatedLayer(bench);
      int round = 0;
      for (; round <= ROUNDS_BEFORE; round++) {
        assertEquals(expected.get(round), layer.repeatAndRead());
      }
      stub.room(0);
      // As long as the work is not under way.
      try (Tensor other = take(bench.device(), RepeatedLayer.BYTES)) {
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

  /** What is another work than before needs no more memory than without graphs. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 9})
  void whatDiffersHasRoomInThePlacesOfBefore(int differing) {
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

  @Test
  void afterOthersHadTheMemoryGraphsComeAgain() {
    List<List<Double>> expected = expected();
    try (Bench bench = Bench.open(stub.backendWithGraphs())) {
      var layer = new RepeatedLayer(bench);
      for (int round = 0; round < ROUNDS; round++) {
        if (round == 5) {
          stub.room(0);
          take(bench.device(), RepeatedLayer.BYTES).close();
          stub.room(-1);
        }
        int graphs = stub.calls("cuGraphLaunch");
        assertEquals(expected.get(round), layer.repeatAndRead());
        boolean isLearning = round < ROUNDS_BEFORE || round >= 5 && round < 5 + ROUNDS_BEFORE;
        assertEquals(isLearning ? 0 : 1, stub.calls("cuGraphLaunch") - graphs, "round " + round);
      }
    }
    assertEquals(List.of(), warnings());
    assertEquals(
        1, log.stream().filter(line -> line.endsWith("is learned anew: the memory of its graphs was needed for others")).count());
  }

  /** Also of what fails while kernels go to a graph. */
  @ParameterizedTest
  @ValueSource(
      strings = {"cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiateWithFlags", "cuLaunchKernel"})
  void whereTheDriverMakesNoGraphThereIsNone(String failing) {
    List<List<Double>> expected = expected();
    int live = stub.live();
    int graphs = stub.calls("cuGraphLaunch");
    try (Bench bench = Bench.open(stub.backendWithGraphs())) {
      var layer = new RepeatedLayer(bench);
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
  void aGraphThatIsNotLaunchedIsAnError() {
    int live = stub.live();
    try (Bench bench = Bench.open(stub.backendWithGraphs())) {
      var layer = new RepeatedLayer(bench);
      for (int round = 0; round < ROUNDS_BEFORE; round++) {
        layer.repeat();
      }
      stub.fail("cuGraphLaunch", LAUNCH_FAILED);
      var failure = assertThrows(DeviceException.class, layer::repeat);
      assertEquals("CUDA: cuGraphLaunch failed: CUDA_ERROR_LAUNCH_FAILED", failure.getMessage());
    }
    assertEquals(live, stub.live());
  }

  /** One makes graphs again and again; the other wants more memory than there is, for which all work of the GPU is waited for. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void ranksThatShareAGpuMakeGraphsWhileOthersWait(int making) throws Exception {
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
        int refused = 0;
        while (!made.getFirst().isDone()) {
          assertThrows(DeviceException.class, () -> take(benches.getLast().device(), 1 << 22));
          refused++;
        }
        return refused;
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
      var layer = new RepeatedLayer(bench);
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
