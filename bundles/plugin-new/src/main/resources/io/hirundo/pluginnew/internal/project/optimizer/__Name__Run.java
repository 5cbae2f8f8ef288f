package __package__;

import io.hirundo.device.Queue;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.ArithmeticKernels.Factor;
import io.hirundo.lib.optimizer.StateTensors;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** The update. Change it here; ArithmeticKernels has multiply, divide, squareRoot and sign too. */
record __Name__Run(
        __Name__Options options, ArithmeticKernels arithmetic, List<Parameter> parameters, StateTensors buffers)
        implements OptimizerRun {
    /**
     * {@code m = momentum m + c g; p = (1 - lr weightDecay) p - lr m}, where c is the clipping coefficient. It is a scalar on the device, so
     * that no step waits for the host: pass it on wherever a gradient is read.
     */
    @Override
    public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
        for (Parameter parameter : parameters) {
            // Of the parameter, not of the tensor: ranks may own a run of a matrix's elements, which is a vector.
            double weightDecay = parameter.spec().isMatrix() ? options.weightDecay() : 0;
            Tensor m = buffers.of(parameter, __Name__Optimizer.MOMENTUM);
            arithmetic.axpby(queue, Factor.of(1, gradientCoefficient1), parameter.gradient(), options.momentum(), m);
            arithmetic.axpby(queue, Factor.of(-learningRate), m, 1 - learningRate * weightDecay, parameter.value());
        }
    }

    @Override
    public List<State> state() {
        return buffers.list();
    }

    @Override
    public void close() {
        buffers.close();
    }
}
