package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.model.Parameter;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** AdamW with its hyperparameters; the formula is that of {@code OptimizerKernels.adamW}. */
record AdamW(AdamWOptions options) implements Optimizer {
  @Override
  public OptimizerRun bind(Device device, List<Parameter> parameters) {
    var moments = new ArrayList<Moments>();
    try (Queue queue = device.newQueue("optimizer state")) {
      for (Parameter parameter : parameters) {
        Tensor first = zeros(device, queue, parameter.value());
        try {
          moments.add(new Moments(parameter, first, zeros(device, queue, parameter.value())));
        } catch (RuntimeException e) {
          first.close();
          throw e;
        }
      }
      queue.drain();
    } catch (RuntimeException e) {
      moments.forEach(Moments::close);
      throw e;
    }
    return new AdamWRun(options, device.kernels().optimizer(), moments);
  }

  private static Tensor zeros(Device device, Queue queue, Tensor like) {
    Tensor tensor = device.allocate(MemoryCategory.OPTIMIZER, like.shape(), like.dtype());
    try {
      device.kernels().elementwise().fill(queue, tensor, 0);
    } catch (RuntimeException e) {
      tensor.close();
      throw e;
    }
    return tensor;
  }
}
