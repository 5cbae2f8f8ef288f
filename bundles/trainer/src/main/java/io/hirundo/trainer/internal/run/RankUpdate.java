package io.hirundo.trainer.internal.run;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.OptimizerKernels;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.model.Parameter;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** What training adds to a rank's model: gradients, their global norm, and the state of the optimizer. */
final class RankUpdate implements AutoCloseable {
  /**
   * What all ranks found together.
   *
   * @param lossSum over the tokens of the global batch, in nats
   * @param gradientNorm global, before clipping
   * @param stop whether a rank was asked to stop
   */
  record Totals(double lossSum, double gradientNorm, boolean stop) {}

  private final RankModel model;
  private final double maximumNorm;
  private final OptimizerRun optimizer;
  /** Loss, sum of squared gradients, wishes to stop: one message for all three. */
  private final Tensor totals3;
  private final Tensor norm;
  private final Tensor clipCoefficient;
  private final Opened opened = new Opened();

  /** {@code clipNorm}: 0 for no clipping. On failure only the gradients stay, which are the model's to release. */
  RankUpdate(RankModel model, Optimizer optimizer, double clipNorm) {
    this.model = model;
    this.maximumNorm = clipNorm == 0 ? Double.POSITIVE_INFINITY : clipNorm;
    model.sharded().allocateGradients();
    try {
      this.optimizer =
          opened.add(
              optimizer.bind(model.device(), model.sharded().owned()), OptimizerRun::close);
      this.totals3 = opened.add(scalars(model.device(), 3), Tensor::close);
      this.norm = opened.add(scalars(model.device(), 1), Tensor::close);
      this.clipCoefficient = opened.add(scalars(model.device(), 1), Tensor::close);
    } catch (RuntimeException | Error failure) {
      opened.closeAfter(failure);
      throw failure;
    }
  }

  /**
   * Clips the gradients, which are finished, and updates the weights.
   *
   * @param stop whether this rank was asked to stop
   */
  Totals apply(long step, double learningRate, boolean stop) {
    Queue queue = model.queue();
    Tensor sumOfSquares = totals3.rows(1, 1);
    model.device().kernels().elementwise().fill(queue, totals3, 0);
    addLoss(queue);
    addSquares(queue, sumOfSquares);
    if (stop) {
      model.device().kernels().elementwise().fill(queue, totals3.rows(2, 1), 1);
    }
    ProcessGroup everyone = model.rank().everyone();
    queue.await(everyone.allReduce(queue, totals3, Reduction.SUM).event());
    model.device().kernels().optimizer().clipCoefficient(queue, sumOfSquares, maximumNorm, norm, clipCoefficient);
    optimizer.step(queue, step, learningRate, clipCoefficient);
    model.weightsChanged();
    double[] found = HostCopies.readScalars(model.device(), queue, totals3);
    return new Totals(found[0], HostCopies.readScalars(model.device(), queue, norm)[0], found[2] > 0);
  }

  /** Ranks that share every matrix all find the whole loss; it counts once. */
  private void addLoss(Queue queue) {
    if (model.rank().coordinate(Axis.TENSOR) == 0) {
      model.device().kernels().elementwise().copy(queue, model.lossSum(), totals3.rows(0, 1));
    }
  }

  private void addSquares(Queue queue, Tensor sumOfSquares) {
    OptimizerKernels kernels = model.device().kernels().optimizer();
    for (Parameter run : model.sharded().owned()) {
      if (run.spec().parts().stream().allMatch(part -> part.replicas().isFirst())) {
        kernels.addSumOfSquares(queue, run.gradient(), sumOfSquares);
      } else {
        OwnedPieces.of(run).stream()
            .filter(piece -> piece.part().replicas().isFirst())
            .forEach(piece -> kernels.addSumOfSquares(queue, piece.in(run.gradient()), sumOfSquares));
      }
    }
  }

  List<OptimizerRun.State> state() {
    return optimizer.state();
  }

  @Override
  public void close() {
    opened.close();
  }

  private static Tensor scalars(Device device, int count) {
    return device.allocate(MemoryCategory.WORKSPACE, Shape.of(count), DType.FP64);
  }
}
