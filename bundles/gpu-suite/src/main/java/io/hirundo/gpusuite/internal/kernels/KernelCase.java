package io.hirundo.gpusuite.internal.kernels;

import io.hirundo.kernel.Kernels;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * Kernel calls with fixed operands.
 *
 * @param name kernel, dtypes and sizes
 * @param tolerance tolerance of each element, relative to its magnitude plus the root mean square of its tensor; 0 for bitwise equality
 * @param body allocates the operands, calls kernels, and returns their results
 */
public record KernelCase(String name, double tolerance, Body body) {
    @FunctionalInterface
    public interface Body {
        List<Tensor> run(CaseTensors tensors, Kernels kernels);
    }

    @Override
    public String toString() {
        return name;
    }
}
