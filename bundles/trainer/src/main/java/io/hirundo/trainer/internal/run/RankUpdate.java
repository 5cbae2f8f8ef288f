package io.hirundo.trainer.internal.run;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.OptimizerKernels;
import io.hirundo.model.Parameter;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** What training adds to a model: gradients, their global norm, and the optimizer's state. */
final class RankUpdate implements AutoCloseable {
  private final RankModel model;
  private final double maximumNorm;
  private final OptimizerRun optimizer;
  private final Tensor sumOfSquares;
  private final Tensor norm;
  private final Tensor clipCoefficient;
  private final Opened opened = new Opened();

  /** {@code clipNorm}: 0 for no clipping. On failure only the gradients stay, which are the model's to release. */
  RankUpdate(RankModel model, Optimizer optimizer, double clipNorm) {
    this.model = model;
    this.maximumNorm = clipNorm == 0 ? Double.POSITIVE_INFINITY : clipNorm;
    model.allocateGradients();
    try {
      this.optimizer = opened.add(optimizer.bind(model.device(), model.parameters()), OptimizerRun::close);
      this.sumOfSquares = opened.add(scalar(model.device()), Tensor::close);
      this.norm = opened.add(scalar(model.device()), Tensor::close);
      this.clipCoefficient = opened.add(scalar(model.device()), Tensor::close);
    } catch (RuntimeException | Error failure) {
      opened.closeAfter(failure);
      throw failure;
    }
  }

  /** Clips the gradients and updates the weights. */
  void apply(long step, double learningRate) {
    OptimizerKernels kernels = model.device().kernels().optimizer();
    Queue queue = model.queue();
    model.device().kernels().elementwise().fill(queue, sumOfSquares, 0);
    for (Parameter parameter : model.parameters()) {
      kernels.addSumOfSquares(queue, parameter.gradient(), sumOfSquares);
    }
    kernels.clipCoefficient(queue, sumOfSquares, maximumNorm, norm, clipCoefficient);
    optimizer.step(queue, step, learningRate, clipCoefficient);
    model.weightsChanged();
  }

  /** The global norm that {@link #apply} found; waits for the queue. */
  double gradientNorm() {
    return HostCopies.readScalar(model.device(), model.queue(), norm);
  }

  List<OptimizerRun.State> state() {
    return optimizer.state();
  }

  @Override
  public void close() {
    opened.close();
  }

  private static Tensor scalar(Device device) {
    return device.allocate(MemoryCategory.WORKSPACE, Shape.of(1), DType.FP64);
  }
}
