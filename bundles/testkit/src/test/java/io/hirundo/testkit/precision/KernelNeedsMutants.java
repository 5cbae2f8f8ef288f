package io.hirundo.testkit.precision;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.WeightSharers;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import java.util.Set;

/** Strategies that declare other kernels than they need. {@link RunMutantsTest} runs them. */
final class KernelNeedsMutants {
    private KernelNeedsMutants() {}

    @Breaks("kernelsAreDeclared")
    @HirundoContract
    static class LooksUpUndeclaredKernels extends RunMutantsTest.Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape, WeightSharers sharers) {
            var unused = device.kernels().arithmetic().orElseThrow();
            return super.mutant(device, shape, sharers);
        }
    }

    @Breaks("kernelsAreDeclared")
    @HirundoContract
    static class LooksUpUndeclaredKernelsInAGemm extends RunMutantsTest.Sound {
        @Override
        LinearMath mutant(Device device, LinearShape shape, WeightSharers sharers) {
            return new RunMutantsTest.Coarse(device, shape, sharers) {
                @Override
                public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
                    var unused = device.kernels().arithmetic().orElseThrow();
                    super.weightGradient(queue, dyTN, xTK, dwNK);
                }
            };
        }
    }

    @Breaks("declaredKernelsAreNeeded")
    @HirundoContract
    static class DeclaresUnneededKernels extends RunMutantsTest.Sound {
        @Override
        Set<Class<?>> kernels() {
            return Set.of(ArithmeticKernels.class);
        }
    }
}
