package io.hirundo.trainer.internal.run;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.OptimizerKernels;
import io.hirundo.model.MicroBatch;
import io.hirundo.model.Parameter;
import io.hirundo.model.Recompute;
import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import io.hirundo.trainer.internal.config.TrainingSection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Does steps: the schedule's actions, then gradient norm, clipping and update. */
final class StepRunner {
  /**
   * A step's outcome.
   *
   * @param loss mean over the labels, in nats
   * @param gradientNorm global, before clipping
   */
  record Outcome(double loss, double gradientNorm) {}

  private final RankModel model;
  private final TrainingSection training;
  private final List<Action> actions;

  StepRunner(RankModel model, PipelineSchedule schedule, TrainingSection training) {
    this.model = model;
    this.training = training;
    int microbatches = training.globalBatch() / training.microBatch();
    this.actions = schedule.plan(new PipelineShape(1, 1, microbatches)).getFirst();
  }

  /**
   * One optimizer step.
   *
   * @param step counts from 1
   */
  Outcome step(HostBatch batch, long step, double learningRate) {
    accumulateGradients(batch);
    OptimizerKernels kernels = model.device().kernels().optimizer();
    Queue queue = model.queue();
    var scalars = model.scalars();
    fillZero(scalars.sumOfSquares);
    for (Parameter parameter : model.parameters()) {
      kernels.addSumOfSquares(queue, parameter.gradient(), scalars.sumOfSquares);
    }
    double maximumNorm = training.clipNorm() == 0 ? Double.POSITIVE_INFINITY : training.clipNorm();
    kernels.clipCoefficient(queue, scalars.sumOfSquares, maximumNorm, scalars.norm, scalars.clipCoefficient);
    model.optimizer().step(queue, step, learningRate, scalars.clipCoefficient);
    model.weightsChanged();
    Device device = model.device();
    return new Outcome(
        HostCopies.readScalar(device, queue, scalars.lossSum) / batch.labels(),
        HostCopies.readScalar(device, queue, scalars.norm));
  }

  /** Gradients of the mean loss over the batch, from zero. */
  void accumulateGradients(HostBatch batch) {
    model.zeroGradients();
    fillZero(model.scalars().lossSum);
    Map<Integer, InFlight> inFlight = new HashMap<>();
    for (int index = 0; index < actions.size(); index++) {
      Action action = actions.get(index);
      int microbatch = action.microbatch();
      switch (action.kind()) {
        case FORWARD -> inFlight.put(microbatch, forward(batch, microbatch));
        case BACKWARD_INPUT -> {
          InFlight work = inFlight.get(microbatch);
          if (index + 1 < actions.size() && isWeightHalf(actions.get(index + 1), microbatch)) {
            // Both halves in a row: block by block, so that a block's gradients are released before the next is entered.
            model.stage().backward(work.context, work.activations);
            work.batch.close();
            index++;
          } else {
            model.stage().backwardInput(work.context, work.activations);
          }
        }
        case BACKWARD_WEIGHT -> {
          InFlight work = inFlight.get(microbatch);
          model.stage().backwardWeight(work.context, work.activations);
          work.batch.close();
        }
      }
    }
  }

  /**
   * Sum of the losses over the rows' labels.
   *
   * @param rows at most a microbatch
   */
  double evaluate(List<int[]> rows) {
    fillZero(model.scalars().lossSum);
    try (var batch = new DeviceBatch(model.device(), model.queue(), rows)) {
      model.stage().evaluate(context(batch.batch(), 1));
    }
    return HostCopies.readScalar(model.device(), model.queue(), model.scalars().lossSum);
  }

  private InFlight forward(HostBatch batch, int microbatch) {
    int first = microbatch * training.microBatch();
    List<int[]> rows = batch.rows().subList(first, first + training.microBatch());
    var onDevice = new DeviceBatch(model.device(), model.queue(), rows);
    RunStepContext context = context(onDevice.batch(), 1.0 / batch.labels());
    return new InFlight(onDevice, context, model.stage().forward(context));
  }

  private RunStepContext context(MicroBatch batch, double gradientScale) {
    Recompute recompute = training.recompute();
    return new RunStepContext(model.rankDevice(), batch, recompute, model.scalars().lossSum, gradientScale);
  }

  private static boolean isWeightHalf(Action action, int microbatch) {
    return action.kind() == Action.Kind.BACKWARD_WEIGHT && action.microbatch() == microbatch;
  }

  private void fillZero(io.hirundo.tensor.Tensor scalar) {
    model.device().kernels().elementwise().fill(model.queue(), scalar, 0);
  }

  private record InFlight(DeviceBatch batch, RunStepContext context, ModelStage.Activations activations) {}
}
