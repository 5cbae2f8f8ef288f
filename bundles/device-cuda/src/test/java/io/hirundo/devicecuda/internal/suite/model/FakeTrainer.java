package io.hirundo.devicecuda.internal.suite.model;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.model.Initialization;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterPart;
import io.hirundo.model.ParameterSpec;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.Books;
import io.hirundo.train.Trainer;
import io.hirundo.train.TrainingRun;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongToDoubleFunction;

/** Trainings whose losses and gradients a test chooses. */
public final class FakeTrainer implements Trainer {
  private static final long STEP_NANOS = 2_000_000;
  private static final long TOKENS = 100;

  private final Function<Map<String, Object>, Outcome> outcomes;
  public final List<Map<String, Object>> configurations = new ArrayList<>();
  public int open;

  /** By the name of the device. */
  FakeTrainer(Map<String, Outcome> outcomes) {
    this(configuration -> outcomes.get(((Map<?, ?>) configuration.get("device")).get("name")));
  }

  /** By the configuration; may throw what a trainer throws. */
  public FakeTrainer(Function<Map<String, Object>, Outcome> outcomes) {
    this.outcomes = outcomes;
  }

  /**
   * What comes of a training.
   *
   * @param loss by step, from 1
   * @param norm of the gradients, by step
   * @param gradients by parameter
   */
  public record Outcome(LongToDoubleFunction loss, LongToDoubleFunction norm, Map<String, float[]> gradients) {
    Outcome(LongToDoubleFunction loss, Map<String, float[]> gradients) {
      this(loss, step -> 1, gradients);
    }
  }

  @Override
  public TrainingRun prepare(Map<String, Object> configuration) {
    configurations.add(configuration);
    var run = new Run(outcomes.apply(configuration));
    open++;
    return run;
  }

  private record Gradient(ParameterSpec spec, Tensor gradient) implements Parameter {
    @Override
    public Tensor value() {
      throw new AssertionError("not asked for");
    }
  }

  private final class Run implements TrainingRun {
    private final Outcome outcome;
    private final Device device = new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.REFERENCE)).open(0, new Books());
    private final List<Parameter> parameters = new ArrayList<>();
    private int steps;

    Run(Outcome outcome) {
      this.outcome = outcome;
      try (var queue = device.newQueue("fill")) {
        outcome.gradients.forEach(
            (name, values) -> {
              Shape shape = Shape.of(values.length);
              Tensor gradient = device.allocate(MemoryCategory.GRADIENTS, shape, DType.FP32);
              device.transfer().upload(queue, MemorySegment.ofArray(values), gradient);
              queue.drain();
              var part = ParameterPart.whole(name, shape);
              parameters.add(new Gradient(new ParameterSpec(name, List.of(part), Initialization.ONES), gradient));
            });
      }
    }

    @Override
    public StepMetrics step() {
      return new StepMetrics(outcome.loss.applyAsDouble(++steps), outcome.norm.applyAsDouble(steps), 1e-3, TOKENS, STEP_NANOS, 1e9);
    }

    @Override
    public double evaluate() {
      throw new AssertionError("not asked for");
    }

    @Override
    public List<Parameter> parameters() {
      return parameters;
    }

    @Override
    public Device device() {
      return device;
    }

    @Override
    public void close() {
      parameters.forEach(parameter -> parameter.gradient().close());
      device.close();
      open--;
    }
  }
}
