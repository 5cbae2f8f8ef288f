package __package__;

import io.hirundo.device.Device;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.lib.optimizer.ArithmeticOf;
import io.hirundo.lib.optimizer.StateTensors;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** SGD with momentum. An object of this class has no state: bind() makes what one run on one rank needs. */
record __Name__Optimizer(__Name__Options options) implements Optimizer {
    /** PyTorch's name. A run that changes from an optimizer with a tensor of this name keeps it. */
    static final String MOMENTUM = "momentum_buffer";

    /** Everything that is declared here is allocated below, saved in checkpoints, and moved when ranks own other parameters. */
    @Override
    public Optional<List<StateSpec>> declaredState(ParameterSpec parameter, DType dtype) {
        return Optional.of(List.of(new StateSpec(MOMENTUM, dtype)));
    }

    /** A device without these is rejected before the run begins. */
    @Override
    public Set<Class<?>> kernels(DType parameterType) {
        return Set.of(ArithmeticKernels.class);
    }

    /** The parameters that this rank updates, or runs of their elements. */
    @Override
    public OptimizerRun bind(Device device, List<Parameter> parameters) {
        ArithmeticKernels arithmetic = ArithmeticOf.device(device, "__name__");
        return new __Name__Run(
                options, arithmetic, List.copyOf(parameters), StateTensors.zeros(device, parameters, this));
    }
}
