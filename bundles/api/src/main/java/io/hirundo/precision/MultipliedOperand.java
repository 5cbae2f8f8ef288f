package io.hirundo.precision;

import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * An operand exactly as a GEMM multiplies it: after quantization, before any sum. The caller closes it before its source operand
 * changes.
 *
 * @param values multiplied values: FP32, BF16 or FP64, or quantized 8-bit values; a matrix of {@code shape().rows()} rows
 * @param scaled quantized values with their scales; empty if values are not quantized
 * @param contractedLast true if the GEMM sums over the columns of values, false if over the rows
 * @param owned tensors that close with this
 */
public record MultipliedOperand(
        Tensor values, Optional<ScaledMatrix> scaled, boolean contractedLast, List<Tensor> owned)
        implements AutoCloseable {
    public MultipliedOperand {
        owned = List.copyOf(owned);
    }

    /** Values multiplied as stored; lent. */
    public static MultipliedOperand stored(Tensor values, boolean contractedLast) {
        return new MultipliedOperand(values, Optional.empty(), contractedLast, List.of());
    }

    /** Quantized values, contracted over their columns; takes ownership of {@code owned}. */
    public static MultipliedOperand codes(ScaledMatrix scaled, List<Tensor> owned) {
        return new MultipliedOperand(scaled.codesMK(), Optional.of(scaled), true, owned);
    }

    @Override
    public void close() {
        owned.forEach(Tensor::close);
    }
}
