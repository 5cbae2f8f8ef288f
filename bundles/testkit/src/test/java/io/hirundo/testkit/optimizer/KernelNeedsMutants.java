package io.hirundo.testkit.optimizer;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.BiasKernels;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import java.util.List;
import java.util.Set;

/** Optimizers that declare other kernels than they need. {@link OptimizerMutantsTest} runs them. */
final class KernelNeedsMutants {
    private KernelNeedsMutants() {}

    @Breaks("kernelsAreDeclared")
    @HirundoContract
    static class DeclaresNoKernels extends OptimizerMutantsTest.Sound {
        @Override
        Set<Class<?>> declaredKernels(Set<Class<?>> real) {
            return Set.of();
        }
    }

    @Breaks("kernelsAreDeclared")
    @HirundoContract
    static class LooksUpUndeclaredKernelsInAStep extends OptimizerMutantsTest.Sound {
        @Override
        MomentumSgd.Run mutant(Device device, List<Parameter> parameters, List<Tensor> buffers) {
            return new MomentumSgd.Run(device, parameters, buffers) {
                @Override
                public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
                    var unused = device.kernels().bias().orElseThrow();
                    super.step(queue, step, learningRate, gradientCoefficient1);
                }
            };
        }
    }

    @Breaks("declaredKernelsAreNeeded")
    @HirundoContract
    static class DeclaresOtherKernelsToo extends OptimizerMutantsTest.Sound {
        @Override
        Set<Class<?>> declaredKernels(Set<Class<?>> real) {
            return Set.of(ArithmeticKernels.class, BiasKernels.class);
        }
    }
}
