package io.hirundo.parallel;

import io.hirundo.device.Queue;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.precision.GradientPair;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A weight on this rank with the precision strategy's three GEMMs. A result row depends only on the same operand row, so calls on
 * row ranges are bitwise equal to one call on all rows.
 */
@ProviderType
public interface LocalMatrix {
    /**
     * The parameter that the GEMMs read. Do not read {@link Parameter#value}: it throws {@link IllegalStateException} if the weight
     * is gathered in quantized form. To read values, also take the {@link LayerScope#parameter}; then it is gathered unquantized.
     */
    Parameter weight();

    /** {@code y = x wᵀ}, for any rows. */
    void forward(Queue queue, Tensor xTK, Tensor yTN);

    /** {@code dx = dy w}, for any rows. */
    void inputGradient(Queue queue, Tensor dyTN, Tensor dxTK);

    /** {@code dw += dyᵀ x}, over all rows at once. */
    void weightGradient(Queue queue, Tensor dyTN, Tensor xTK);

    /**
     * Both gradients from dy, over all rows, bitwise equal to separate calls; reads dy fewer times if the precision supports it.
     * The caller closes it.
     */
    default GradientPair gradients(Queue queue, Tensor dyTN) {
        return GradientPair.oneByOne(
                dxTK -> inputGradient(queue, dyTN, dxTK),
                xTK -> weightGradient(queue, dyTN, xTK),
                x -> packed().orElseThrow().weightGradient(queue, dyTN, x));
    }

    /**
     * {@code dx = dy w}, then {@code dw += dyᵀ x}, over all rows at once. Use {@link #gradients} to do other work between the two.
     */
    default void bothGradients(Queue queue, Tensor dyTN, Tensor xTK, Tensor dxTK) {
        try (GradientPair gradients = gradients(queue, dyTN)) {
            gradients.input(dxTK);
            gradients.weight(xTK);
        }
    }

    /** The same GEMMs with packed operands; call it before each GEMM, like {@code LinearMath.packed()}. */
    default Optional<PackedMatrix> packed() {
        return Optional.empty();
    }
}
