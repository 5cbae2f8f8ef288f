package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.device.Queue;
import io.hirundo.kernel.OptimizerKernels;
import io.hirundo.lib.optimizer.AdamWUpdate;
import io.hirundo.lib.optimizer.StateTensors;
import io.hirundo.model.Parameter;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** AdamW bound to the parameters of a run, whose moments it owns. */
record AdamWRun(AdamWUpdate update, OptimizerKernels kernels, List<Parameter> parameters, StateTensors moments)
    implements OptimizerRun {
  @Override
  public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
    update.step(queue, kernels, parameters, moments, step, learningRate, gradientCoefficient1);
  }

  @Override
  public List<State> state() {
    return moments.list();
  }

  @Override
  public void close() {
    moments.close();
  }
}
