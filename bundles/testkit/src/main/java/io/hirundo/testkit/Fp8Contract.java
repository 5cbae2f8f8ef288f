package io.hirundo.testkit;

import io.hirundo.precision.LinearShape;
import java.util.List;

/** {@link PrecisionContract} for a strategy that computes in FP8 if the sizes are multiples of its blocks, otherwise in BF16. */
public interface Fp8Contract extends PrecisionContract {
    /** Sizes computed in FP8, and an odd one computed in BF16. */
    @Override
    default List<LinearShape> shapes() {
        return List.of(
                new LinearShape("layers.3.mlp.odd", 33, 34),
                new LinearShape("layers.3.mlp.up", 48, 16),
                new LinearShape("layers.3.mlp.down", 144, 272));
    }
}
