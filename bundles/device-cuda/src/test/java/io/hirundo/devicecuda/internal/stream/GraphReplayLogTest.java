package io.hirundo.devicecuda.internal.stream;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecuda.internal.fixture.ReplayedLayer;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.devicecuda.internal.graph.CapturedWork;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Listens to what is said of work that comes again, and knows what a layer has without graphs; afterwards all is as it was. */
abstract class GraphReplayLogTest {
  static final int ROUNDS = 14;
  /** Rounds until there are graphs. */
  static final int ROUNDS_BEFORE = 4;

  /** Kept, so that nobody collects it with its handler. */
  private final Logger logger = Logger.getLogger(CapturedWork.class.getName());

  final List<String> log = new ArrayList<>();
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

  StubCuda stub;

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

  List<String> warnings() {
    return log.stream().filter(line -> line.startsWith("WARNING")).toList();
  }

  /** What a layer has after each round without graphs. */
  List<List<Double>> expected() {
    var expected = new ArrayList<List<Double>>();
    try (Bench bench = Bench.open(stub.backend())) {
      var layer = new ReplayedLayer(bench);
      for (int round = 0; round < ROUNDS; round++) {
        expected.add(layer.repeatAndRead());
      }
    }
    return expected;
  }

  static Tensor take(Device device, long bytes) {
    return device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(bytes / Float.BYTES), DType.FP32);
  }
}
