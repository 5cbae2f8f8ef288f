package io.hirundo.lib.engine.check;

import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.tensor.Tensor;
import java.util.function.Supplier;

/**
 * Observes the GEMMs of a layer. The observer runs each GEMM itself, so it can look at the data before and after. To be used on the rank's
 * thread only.
 */
public interface GemmObserver {
    /**
     * An operand of a GEMM.
     *
     * @param operand which operand
     * @param multiplied the operand as multiplied, requested after the GEMM and closed by the observer; null if it is not accessible
     * @param original the operand before quantization; null if it is unknown on this rank
     */
    record Observed(Operand operand, Supplier<MultipliedOperand> multiplied, Supplier<Tensor> original) {}

    /** A GEMM that overwrites {@code result}. */
    void product(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result);

    /** A GEMM that accumulates into {@code result}. */
    void added(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result);

    /**
     * Runs work that belongs to a GEMM but cannot be observed as one.
     *
     * @param rowsT an operand or result with a row for each token
     */
    default void attempt(LinearProduct product, Tensor rowsT, Runnable work) {
        work.run();
    }

    /** As {@link #attempt}, for both gradients; returns null if the work failed. */
    default <T> T attempted(Tensor rowsT, Supplier<T> work) {
        return work.get();
    }

    /** Reports an operand that was quantized for a GEMM on another rank, or for a later one on this rank. */
    default void rounded(LinearProduct product, Observed operand) {}
}
