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

/** Records the log lines about captured work, and computes the expected values without graphs. Resets everything afterwards. */
abstract class GraphReplayLogTest {
    static final int ROUNDS = 14;
    /** Rounds until graphs are replayed. */
    static final int ROUNDS_BEFORE = 4;

    /** A strong reference, so that the logger is not collected with its handler. */
    private final Logger logger = Logger.getLogger(CapturedWork.class.getName());

    final List<String> log = new ArrayList<>();
    private final Handler listener = new Handler() {
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

    /** The values of a layer after each round without graphs. */
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
