package io.hirundo.testkit.kernel;

import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.OnDevice;
import java.util.List;

/** What is under test. The device must have the families of which the kernels are composed: {@link #backend}. */
public interface KernelsOffer<K> extends OnDevice {
    KernelProvider<K> provider();

    /** Kernels of the same family that say what is right: composed ones, or plain loops. */
    KernelProvider<K> reference();

    /**
     * Calls each kernel of the family.
     *
     * @param bench lends tensors, with the same values at each call
     * @param rows of a matrix, T
     * @param columns of a matrix, C
     * @return the results, tensors of the bench
     */
    List<Tensor> call(K kernels, Bench bench, DType dtype, long rows, long columns);

    default List<DType> dtypes() {
        return List.of(DType.FP32, DType.BF16);
    }

    /** Allowed error of a result, relative to the largest magnitude in it: a few roundings. */
    default double tolerance(DType dtype) {
        return switch (dtype) {
            case FP64 -> 1e-13;
            case FP32 -> 1e-5;
            default -> 1.0 / 64;
        };
    }
}
