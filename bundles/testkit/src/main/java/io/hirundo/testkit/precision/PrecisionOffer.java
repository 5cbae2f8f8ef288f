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

/** What {@link PrecisionContract} needs from a test class. */
public interface PrecisionOffer extends OnDevice {
    /** Upper bound of {@link #tolerance}: a transposed gradient is wrong by more than its own norm. */
    double MAX_TOLERANCE = 0.1;

    /** The strategy under test; may be the same object on each call. */
    PrecisionStrategy strategy();

    /**
     * The largest relative error of a GEMM: norm of the error over norm of the result. The default covers rounding to the
     * strategy's dtypes; a strategy that quantizes operands returns more, at most {@link #MAX_TOLERANCE}.
     */
    default double tolerance() {
        Set<DType> types = EnumSet.of(strategy().parameterType(), strategy().activationType());
        return types.contains(DType.BF16) ? 0.01 : types.contains(DType.FP32) ? 1e-5 : 1e-13;
    }

    /** Shapes of layers: square, odd, and whole blocks. Clauses use those that the strategy supports. */
    default List<LinearShape> shapes() {
        return Stream.of(new long[][] {{1, 1}, {3, 7}, {33, 33}, {17, 130}, {131, 16}, {128, 256}})
                .map(sizes -> new LinearShape("layers.3.mlp.down", sizes[0], sizes[1]))
                .toList();
    }

    /** Tokens of the microbatches that each layer gets, in order. */
    default List<Integer> tokens() {
        return List.of(33, 1, 8, 65);
    }
}
