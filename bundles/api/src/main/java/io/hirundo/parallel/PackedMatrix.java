package io.hirundo.parallel;

import io.hirundo.device.Queue;
import io.hirundo.precision.PackedOperand;
import io.hirundo.precision.PackedProducts;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.Tensor;

/**
 * A {@link LocalMatrix} for packed operands.
 *
 * @param products GEMMs of its layer
 * @param prepared its weight
 * @param gradientNK gradient of its weight
 */
public record PackedMatrix(PackedProducts products, PreparedWeight prepared, Tensor gradientNK) {
    /** {@code y = x wᵀ}. */
    public void forward(Queue queue, PackedOperand x, Tensor yTN) {
        products.forward(queue, x, prepared, yTN);
    }

    /** {@code dx = dy w}. */
    public void inputGradient(Queue queue, PackedOperand dy, Tensor dxTK) {
        products.inputGradient(queue, dy, prepared, dxTK);
    }

    /** {@code dw += dyᵀ x}, over all rows at once. */
    public void weightGradient(Queue queue, Tensor dyTN, PackedOperand x) {
        products.weightGradient(queue, dyTN, x, gradientNK);
    }

    /** {@code dw += dyᵀ x}, over all rows at once. */
    public void weightGradient(Queue queue, PackedOperand dy, Tensor xTK) {
        products.weightGradient(queue, dy, xTK, gradientNK);
    }
}
