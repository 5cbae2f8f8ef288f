package io.hirundo.precision;

import io.hirundo.tensor.Tensor;
import java.util.function.Consumer;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Both gradients of a linear layer from one output gradient dy, on one queue. Each is found once at most, that of the input first;
 * what the caller does between the two (messages begin, x arrives) is its own business, as long as it leaves dy and the weight as
 * they are. Belongs to one thread, and to its {@link LinearMath}; the caller closes it.
 */
@ConsumerType
public interface GradientPair extends AutoCloseable {
  /** {@code dx = dy w}. */
  void input(Tensor dxTK);

  /** {@code dw += dyᵀ x}. */
  void weight(Tensor xTK);

  /** {@code dw += dyᵀ x}; x is packed over {@link Contraction#TOKENS}, by {@link LinearMath#packed} of the same products. */
  void weight(PackedOperand x);

  /** Gives back what was prepared from dy and is left. */
  @Override
  void close();

  /** Gradients that are found one by one, each from dy itself: nothing is prepared. */
  static GradientPair oneByOne(Consumer<Tensor> input, Consumer<Tensor> weight, Consumer<PackedOperand> weightOfPacked) {
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
