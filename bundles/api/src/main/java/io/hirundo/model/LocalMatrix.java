package io.hirundo.model;

import io.hirundo.device.Queue;
import io.hirundo.precision.GradientPair;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A weight on this rank with the precision strategy's three products. Rows of the results depend on the same rows of the
 * operands only, so that calls on row ranges give bitwise what one call on all rows gives.
 */
@ProviderType
public interface LocalMatrix {
  /**
   * What the products read. Its {@link Parameter#value} is not to be relied on: where the weight travels as codes it is not
   * there, which is an {@link IllegalStateException}. Whoever reads values declares the parameter too, with
   * {@link LocalLayers#declare}: then it travels as it is.
   */
  Parameter weight();

  /** {@code y = x wᵀ}, of any rows. */
  void forward(Queue queue, Tensor xTK, Tensor yTN);

  /** {@code dx = dy w}, of any rows. */
  void inputGradient(Queue queue, Tensor dyTN, Tensor dxTK);

  /** {@code dw += dyᵀ x}, over all rows at once. */
  void weightGradient(Queue queue, Tensor dyTN, Tensor xTK);

  /**
   * Both gradients of dy, of all rows; the same numbers, bitwise, with fewer readings of dy where the precision can do that. The
   * caller closes it.
   */
  default GradientPair gradients(Queue queue, Tensor dyTN) {
    return GradientPair.oneByOne(
        dxTK -> inputGradient(queue, dyTN, dxTK),
        xTK -> weightGradient(queue, dyTN, xTK),
        x -> packed().orElseThrow().weightGradient(queue, dyTN, x));
  }

  /**
   * {@code dx = dy w}, then {@code dw += dyᵀ x}, over all rows at once: {@link #gradients} where nothing is to be done between the
   * two.
   */
  default void bothGradients(Queue queue, Tensor dyTN, Tensor xTK, Tensor dxTK) {
    try (GradientPair gradients = gradients(queue, dyTN)) {
      gradients.input(dxTK);
      gradients.weight(xTK);
    }
  }

  /** The same products with operands that travel packed; to be asked before each, as {@code LinearMath.packed()}. */
  default Optional<PackedMatrix> packed() {
    return Optional.empty();
  }
}
