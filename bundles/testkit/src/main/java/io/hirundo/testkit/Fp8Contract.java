package io.hirundo.testkit;

import io.hirundo.precision.LinearShape;
import java.util.List;

/** As {@link PrecisionContract}, of a strategy that computes in eight bits what divides into its blocks, and the rest in bfloat16. */
public interface Fp8Contract extends PrecisionContract {
  /** In fp8, and with an odd one in bf16. */
  @Override
  default List<LinearShape> shapes() {
    return List.of(
        new LinearShape("layers.3.mlp.odd", 33, 34),
        new LinearShape("layers.3.mlp.up", 48, 16),
        new LinearShape("layers.3.mlp.down", 144, 272));
  }
}
