package io.hirundo.precision;

import io.hirundo.tensor.Tensor;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Both gradients of a linear layer from one output gradient dy, on one queue. Each gradient is computed at most once, the input
 * gradient first. Between the two calls the caller may start collectives or wait for x, but must not change dy or the weight.
 * Confined to the thread of its {@link LinearMath}; the caller closes it.
 */
@ConsumerType
public interface GradientPair extends AutoCloseable {
    /** {@code dx = dy w}. */
    void input(Tensor dxTK);

    /** {@code dw += dyᵀ x}. */
    void weight(Tensor xTK);

    /**
     * {@code dw += dyᵀ x}. The operand x is packed over {@link Contraction#TOKENS} by {@link LinearMath#packed} of the same layer.
     */
    void weight(PackedOperand x);

    /** Releases what was prepared from dy. */
    @Override
    void close();

    /** Computes each gradient from dy separately, without shared preparation. */
    static GradientPair oneByOne(
            Consumer<Tensor> input, Consumer<Tensor> weight, Consumer<PackedOperand> weightOfPacked) {
        return new GradientPair() {
            @Override
            public void input(Tensor dxTK) {
                input.accept(dxTK);
            }

            @Override
            public void weight(Tensor xTK) {
                weight.accept(xTK);
            }

            @Override
            public void weight(PackedOperand x) {
                weightOfPacked.accept(x);
            }

            @Override
            public void close() {}
        };
    }
}
