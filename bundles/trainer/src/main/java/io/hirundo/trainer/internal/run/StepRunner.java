package io.hirundo.trainer.internal.run;

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
  private final RankUpdate update;
  private final TrainingSection training;
  private final List<Action> actions;

  StepRunner(RankModel model, RankUpdate update, PipelineSchedule schedule, TrainingSection training) {
    this.model = model;
    this.update = update;
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
    update.apply(step, learningRate);
    double lossSum = HostCopies.readScalar(model.device(), model.queue(), model.lossSum());
    return new Outcome(lossSum / batch.labels(), update.gradientNorm());
  }

  /** Gradients of the mean loss over the batch, from zero. */
  void accumulateGradients(HostBatch batch) {
    model.zeroGradients();
    model.device().kernels().elementwise().fill(model.queue(), model.lossSum(), 0);
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

  private InFlight forward(HostBatch batch, int microbatch) {
    int first = microbatch * training.microBatch();
    List<int[]> rows = batch.rows().subList(first, first + training.microBatch());
    var onDevice = new DeviceBatch(model.device(), model.queue(), rows);
    var context =
        new RunStepContext(
            model.rankDevice(), onDevice.batch(), training.recompute(), model.lossSum(), 1.0 / batch.labels());
    return new InFlight(onDevice, context, model.stage().forward(context));
  }

  private static boolean isWeightHalf(Action action, int microbatch) {
    return action.kind() == Action.Kind.BACKWARD_WEIGHT && action.microbatch() == microbatch;
  }

  private record InFlight(DeviceBatch batch, RunStepContext context, ModelStage.Activations activations) {}
}
