package io.hirundo.trainer.internal.run;

import io.hirundo.checkpoint.ModelReader;
import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.model.Architecture;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterPart;
import io.hirundo.model.Recompute;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.optimizeradamw.internal.AdamWFactory;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.config.TrainingSection;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The golden tiny Llama, open on a CPU device: the real strategies, without data and run directory. */
final class TinyRun implements AutoCloseable {
  static final int SEQUENCES = 2;
  static final int SEQUENCE_TOKENS = 32;
  static final LlamaOptions SIZES =
      new LlamaOptions(256, 64, 160, 2, 4, 2, 0, SEQUENCE_TOKENS, 1e-5, 500000, null, false, 0.02);

  final RankModel model;
  final RankUpdate update;
  final StepRunner steps;

  TinyRun(CpuOptions cpu, PrecisionStrategy precision, int microBatch, Recompute recompute) {
    this(new CpuBackendFactory().create(cpu), precision, microBatch, recompute);
  }

  TinyRun(ComputeBackend backend, PrecisionStrategy precision, int microBatch, Recompute recompute) {
    Architecture architecture = new LlamaFactory().create(SIZES);
    var training = new TrainingSection(3, SEQUENCE_TOKENS, microBatch, SEQUENCES, 0, recompute);
    var compute = new Strategies.Compute(backend, precision);
    model = RankModel.openAlone(compute, TestParallel.defaults(), architecture);
    update = new RankUpdate(model, new AdamWFactory().create(GoldenStep.FLOAT64.adamW()));
    steps = new StepRunner(model, update, training);
  }

  void load(Map<String, double[]> weights) {
    new ModelWeights(model).load(new MapReader(weights), "the golden model");
  }

  Map<String, double[]> gradients() {
    var gradients = new LinkedHashMap<String, double[]>();
    model.parameters().forEach(parameter -> readParts(parameter, parameter.gradient(), gradients));
    return gradients;
  }

  Map<String, double[]> weights() {
    var weights = new LinkedHashMap<String, double[]>();
    model.parameters().forEach(parameter -> readParts(parameter, parameter.value(), weights));
    return weights;
  }

  private void readParts(Parameter parameter, Tensor whole, Map<String, double[]> into) {
    long row = 0;
    for (ParameterPart part : parameter.spec().parts()) {
      into.put(part.path(), read(whole.rows(row, part.shape().dim(0))));
      row += part.shape().dim(0);
    }
  }

  private double[] read(Tensor tensor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(tensor.byteSize(), 64);
      model.device().transfer().download(model.queue(), tensor, host);
      model.queue().drain();
      double[] values = new double[(int) tensor.elements()];
      for (int i = 0; i < values.length; i++) {
        values[i] =
            tensor.dtype() == DType.FP64
                ? host.getAtIndex(ValueLayout.JAVA_DOUBLE, i)
                : host.getAtIndex(ValueLayout.JAVA_FLOAT, i);
      }
      return values;
    }
  }

  @Override
  public void close() {
    update.close();
    model.close();
  }

  private record MapReader(Map<String, double[]> tensors) implements ModelReader {
    @Override
    public Choice architecture() {
      throw new AssertionError("not asked for");
    }

    @Override
    public Set<String> paths() {
      return tensors.keySet();
    }

    @Override
    public void read(ParameterPart part, DType dtype, MemorySegment into) {
      var host = new HostCopies.HostFloats(into, dtype);
      double[] values = tensors.get(part.path());
      for (int i = 0; i < values.length; i++) {
        host.set(i, values[i]);
      }
    }

    @Override
    public void close() {}
  }
}
