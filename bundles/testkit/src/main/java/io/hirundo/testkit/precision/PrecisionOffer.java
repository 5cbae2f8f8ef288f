package io.hirundo.testkit.precision;

import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.PrecisionContract;
import io.hirundo.testkit.bench.OnDevice;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What the clauses of {@link PrecisionContract} ask of a test class. */
public interface PrecisionOffer extends OnDevice {
  /** What no claimed tolerance is let pass: a transposed gradient is wrong by more than its own size. */
  double MAX_TOLERANCE = 0.1;

  /** The strategy under test, new or the same each time. */
  PrecisionStrategy strategy();

  /**
   * The largest error of a product, its norm by the norm of the product. By default what rounding of the strategy's types may
   * do; a strategy that quantizes its operands says more, {@link #MAX_TOLERANCE} at most.
   */
  default double tolerance() {
    Set<DType> types = EnumSet.of(strategy().parameterType(), strategy().activationType());
    return types.contains(DType.BF16) ? 0.01 : types.contains(DType.FP32) ? 1e-5 : 1e-13;
  }

  /** Sizes of layers, of which those are tried that the strategy supports: square, odd, and of whole blocks. */
  default List<LinearShape> shapes() {
    return Stream.of(new long[][] {{1, 1}, {3, 7}, {33, 33}, {17, 130}, {131, 16}, {128, 256}})
        .map(sizes -> new LinearShape("layers.3.mlp.down", sizes[0], sizes[1]))
        .toList();
  }

  /** Tokens of the microbatches that each layer is given, one after the other. */
  default List<Integer> tokens() {
    return List.of(33, 1, 8, 65);
  }
}
