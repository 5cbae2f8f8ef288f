package io.hirundo.testkit.optimizer;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.kernel.DeclaredKernels;
import java.util.List;
import java.util.NoSuchElementException;

/** The kernels that an optimizer needs. */
public interface KernelNeedsClauses extends OptimizerOffer {
  @Clause(value = "A device with the families that kernels() declares has all that bind() needs: others are rejected before the run",
      remedy = "kernels(): families that bind() looks up and cannot do without")
  default void kernelsAreDeclared(Bench bench) {
    for (DType dtype : dtypes()) {
      Optimizer optimizer = optimizer();
      Device limited = DeclaredKernels.of(bench.device(), optimizer.kernels(dtype));
      try {
        optimizer.bind(limited, List.copyOf(BenchParameter.all(bench, dtype))).close();
      } catch (ConfigurationException | NoSuchElementException lacks) {
        throw new AssertionError("bind() of weights in " + dtype + " fails although the device has " + optimizer.kernels(dtype) + ": " + lacks, lacks);
      }
    }
  }
}
