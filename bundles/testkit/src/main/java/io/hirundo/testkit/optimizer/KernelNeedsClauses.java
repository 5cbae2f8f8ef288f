package io.hirundo.testkit.optimizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Device;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.kernel.DeclaredKernels;
import java.util.List;
import java.util.Set;

/** The kernels that an optimizer needs. */
public interface KernelNeedsClauses extends OptimizerOffer {
    @Clause(
            value =
                    "A device with the families that kernels() declares has all that bind() and step() need: others are rejected before the run",
            remedy = "kernels(): families that bind() or step() looks up and cannot do without")
    default void kernelsAreDeclared(Bench bench) {
        for (DType dtype : dtypes()) {
            Set<Class<?>> declared = optimizer().kernels(dtype);
            DeclaredKernels.lacking(bench.device(), declared, limited -> update(bench, limited, dtype))
                    .ifPresent(lacks -> {
                        throw new AssertionError(
                                "weights in " + dtype + ": fails although the device has " + declared + ": " + lacks,
                                lacks);
                    });
        }
    }

    @Clause(
            value = "Each family that kernels() declares is needed: a device without it would be rejected for nothing",
            remedy = "kernels(): families that bind() and step() can do without, and those of other options or dtypes")
    default void declaredKernelsAreNeeded(Bench bench) {
        for (DType dtype : dtypes()) {
            List<Class<?>> unneeded = DeclaredKernels.unneeded(
                    bench.device(), optimizer().kernels(dtype), limited -> update(bench, limited, dtype));
            assertEquals(List.of(), unneeded, "families that updates of weights in " + dtype + " do not need");
        }
    }

    private void update(Bench bench, Device device, DType dtype) {
        try (var bound = new BoundOptimizer(bench, device, optimizer(), BenchParameter.all(bench, dtype))) {
            bound.steps(1, 1, learningRate());
        }
    }
}
