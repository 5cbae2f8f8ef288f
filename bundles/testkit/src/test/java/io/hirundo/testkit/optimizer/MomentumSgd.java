package io.hirundo.testkit.optimizer;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.ArithmeticKernels.Factor;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** SGD with momentum and decoupled weight decay, correct; mutants override a method. */
class MomentumSgd implements Optimizer {
    static final double MOMENTUM = 0.9;
    private static final double DECAY = 0.1;

    @Override
    public Optional<List<StateSpec>> declaredState(ParameterSpec parameter, DType dtype) {
        return Optional.of(List.of(new StateSpec("momentum_buffer", dtype)));
    }

    @Override
    public Set<Class<?>> kernels(DType parameterType) {
        return Set.of(ArithmeticKernels.class);
    }

    @Override
    public OptimizerRun bind(Device device, List<Parameter> parameters) {
        var buffers = new ArrayList<Tensor>();
        Run run = run(device, parameters, buffers);
        try {
            for (Parameter parameter : parameters) {
                Tensor value = parameter.value();
                buffers.add(device.allocate(MemoryCategory.OPTIMIZER, value.shape(), value.dtype()));
                device.kernels().elementwise().fill(run.filling, buffers.getLast(), 0);
            }
        } catch (RuntimeException failure) {
            run.abandon();
            throw failure;
        }
        return run;
    }

    Run run(Device device, List<Parameter> parameters, List<Tensor> buffers) {
        return new Run(device, parameters, buffers);
    }

    static class Run implements OptimizerRun {
        final Device device;
        final ArithmeticKernels arithmetic;
        final List<Parameter> parameters;
        final List<Tensor> buffers;
        private final Queue filling;

        Run(Device device, List<Parameter> parameters, List<Tensor> buffers) {
            this.device = device;
            this.parameters = parameters;
            this.buffers = buffers;
            arithmetic = device.kernels().arithmetic().orElseThrow();
            filling = device.newQueue("zeros");
        }

        /** {@code m = 0.9 m + c g; p = (1 - lr wd) p - lr m}. */
        @Override
        public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
            for (int i = 0; i < parameters.size(); i++) {
                Parameter parameter = parameters.get(i);
                arithmetic.axpby(
                        queue, Factor.of(1, gradientCoefficient1), parameter.gradient(), MOMENTUM, buffers.get(i));
                double kept = decays(parameter) ? 1 - learningRate * DECAY : 1;
                arithmetic.axpby(queue, Factor.of(-learningRate), buffers.get(i), kept, parameter.value());
            }
        }

        boolean decays(Parameter parameter) {
            return parameter.spec().isMatrix();
        }

        @Override
        public List<State> state() {
            var states = new ArrayList<State>();
            for (int i = 0; i < parameters.size(); i++) {
                states.add(new State(parameters.get(i), "momentum_buffer", buffers.get(i)));
            }
            return states;
        }

        /** After a failure of bind(). */
        void abandon() {
            close();
        }

        @Override
        public void close() {
            filling.close();
            buffers.forEach(Tensor::close);
        }
    }
}
