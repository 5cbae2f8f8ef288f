package io.hirundo.devicecuda.internal.suite.model;

import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.train.Trainer;
import io.hirundo.train.TrainingRun;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The first step of a training.
 *
 * @param loss in nats
 * @param gradients by parameter, before they are clipped
 */
record FirstStep(double loss, Map<String, float[]> gradients) {
  static FirstStep of(Trainer trainer, Map<String, Object> configuration) {
    try (TrainingRun run = trainer.prepare(configuration);
        Queue queue = run.device().newQueue("gradients")) {
      double loss = run.step().loss();
      var gradients = new LinkedHashMap<String, float[]>();
      for (var parameter : run.parameters()) {
        gradients.put(parameter.spec().name(), values(run, queue, parameter.gradient()));
      }
      return new FirstStep(loss, gradients);
    }
  }

  private static float[] values(TrainingRun run, Queue queue, Tensor tensor) {
    if (tensor.dtype() != DType.FP32) {
      throw new IllegalArgumentException("gradients are FP32, not " + tensor.dtype());
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(tensor.byteSize(), Float.BYTES);
      run.device().transfer().download(queue, tensor, host);
      queue.drain();
      return host.toArray(ValueLayout.JAVA_FLOAT);
    }
  }

  /** How far the other one's loss is off, as a part of this one's. */
  double lossDifference(FirstStep other) {
    return Math.abs(other.loss - loss) / Math.abs(loss);
  }

  /** By parameter: norm of the difference over the norm here. */
  Map<String, Double> gradientDifferences(FirstStep other) {
    var differences = new LinkedHashMap<String, Double>();
    gradients.forEach((name, values) -> differences.put(name, difference(values, other.gradients.get(name))));
    return differences;
  }

  private static double difference(float[] expected, float[] actual) {
    double squares = 0;
    double all = 0;
    for (int i = 0; i < expected.length; i++) {
      double difference = (double) actual[i] - expected[i];
      squares += difference * difference;
      all += (double) expected[i] * expected[i];
    }
    return Math.sqrt(squares / all);
  }
}
