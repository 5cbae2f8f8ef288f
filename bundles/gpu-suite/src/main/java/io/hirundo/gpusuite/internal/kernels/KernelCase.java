package io.hirundo.gpusuite.internal.kernels;

import io.hirundo.kernel.Kernels;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * Kernels that are called with operands that are the same each time.
 *
 * @param name what and of which types and sizes
 * @param tolerance of each element of a result, times its size plus the root mean square of its tensor; 0 for the same bits
 * @param body makes its operands, calls kernels, and returns what they wrote
 */
public record KernelCase(String name, double tolerance, Body body) {
  @FunctionalInterface
  public interface Body {
    List<Tensor> run(CaseTensors trial, Kernels kernels);
  }

  @Override
  public String toString() {
    return name;
  }
}
