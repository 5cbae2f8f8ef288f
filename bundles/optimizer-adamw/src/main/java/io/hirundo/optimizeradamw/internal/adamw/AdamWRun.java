package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.device.Queue;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.lib.optimizer.AdamWUpdate;
import io.hirundo.lib.optimizer.StateTensors;
import io.hirundo.lib.optimizer.WeightUpdates;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * AdamW bound to the parameters of a run, whose moments it owns.
 *
 * @param updates of all parameters; owned
 * @param others parameters whose moments are not in 8 bits
 * @param eightBit of all other parameters; empty if the option is off
 */
record AdamWRun(
        AdamWUpdate update,
        OptimizerKernels kernels,
        WeightUpdates updates,
        List<Parameter> others,
        Optional<EightBitUpdate> eightBit,
        StateTensors moments)
        implements OptimizerRun {
    @Override
    public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
        update.step(queue, kernels, updates, others, moments, step, learningRate, gradientCoefficient1);
        eightBit.ifPresent(each -> each.step(queue, updates, moments, step, learningRate, gradientCoefficient1));
    }

    @Override
    public List<State> state() {
        return moments.list();
    }

    @Override
    public void close() {
        updates.close();
        moments.close();
    }
}
