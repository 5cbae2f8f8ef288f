package io.hirundo.devicecuda.internal.suite.step;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.DeviceException;
import io.hirundo.device.Device;
import io.hirundo.device.KernelTimer;
import io.hirundo.device.KernelTimes;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.model.Parameter;
import io.hirundo.train.Trainer;
import io.hirundo.train.TrainingRun;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Steps that take what a test says, on a clock that goes by them alone. */
final class TimedTrainer implements Trainer {
  static final double MODEL_FLOPS = 989e9;

  /** Of a step that is not the first. */
  private final Map<String, Long> nanosByPrecision;

  private final List<String> prepared = new ArrayList<>();
  private long clockNanos;
  String failing = "";
  private int open;

  TimedTrainer(Map<String, Long> nanosByPrecision) {
    this.nanosByPrecision = nanosByPrecision;
  }

  LongSupplier clock() {
    return () -> clockNanos;
  }

  /** Precision, layers, tokens and vocabulary of each run. */
  List<String> prepared() {
    return prepared;
  }

  int open() {
    return open;
  }

  @Override
  public TrainingRun prepare(Map<String, Object> configuration) {
    var precision = (String) configuration.get("precision");
    var llama = (Map<?, ?>) ((Map<?, ?>) ((Map<?, ?>) configuration.get("model")).get("architecture")).get("options");
    var training = (Map<?, ?>) configuration.get("training");
    prepared.add(String.join(" ", precision, "" + llama.get("numHiddenLayers"), "" + training.get("sequenceTokens"), "" + llama.get("vocabSize")));
    if (precision.equals(failing)) {
      throw new DeviceException("no memory");
    }
    open++;
    return new Run(nanosByPrecision.get(precision), (int) training.get("steps"));
  }

  private record FixedTimes(KernelTimes times) implements KernelTimer {
    @Override
    public void close() {}
  }

  private final class Run implements TrainingRun {
    private final long nanos;
    private int left;
    private boolean first = true;

    Run(long nanos, int steps) {
      this.nanos = nanos;
      left = steps;
    }

    @Override
    public StepMetrics step() {
      if (left-- == 0) {
        throw new IllegalStateException("all steps are done");
      }
      long took = first ? 10 * nanos : nanos;
      first = false;
      clockNanos += took;
      return new StepMetrics(1, 1, 1e-3, 100, took, MODEL_FLOPS);
    }

    @Override
    public double evaluate() {
      throw new AssertionError("not asked for");
    }

    @Override
    public List<Parameter> parameters() {
      throw new AssertionError("not asked for");
    }

    /** One that can do nothing but time kernels, which take all but a fiftieth of a step. */
    @Override
    public Device device() {
      return (Device)
          Proxy.newProxyInstance(
              Device.class.getClassLoader(),
              new Class<?>[] {Device.class},
              (device, method, arguments) -> {
                assertEquals("timeKernels", method.getName());
                return Optional.of(new FixedTimes(new KernelTimes(List.of(), nanos, nanos - nanos / 50)));
              });
    }

    @Override
    public void close() {
      open--;
    }
  }
}
