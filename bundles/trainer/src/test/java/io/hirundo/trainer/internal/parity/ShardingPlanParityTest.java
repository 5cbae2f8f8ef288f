package io.hirundo.trainer.internal.parity;

import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.model.Recompute;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.fixture.WholeMatrices;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As {@link PlanParityTest}, for what optimizers and options change of the sharding. */
class ShardingPlanParityTest {
  private static final PrecisionStrategy BF16 = new Bf16Factory().create(new NoOptions());
  private static final PrecisionStrategy FP8 = new Fp8BlockwiseFactory().create(new Fp8BlockwiseOptions());

  /** In two microbatches a rank. */
  @ParameterizedTest
  @ValueSource(strings = {"zero1", "zero2", "fsdp"})
  void peakBytesWithGradientsInBf16(String mode) {
    var ways = new Layouts.Ways("1f1b", "ring", mode + " bf16", true, true);
    var split = new Layout(new Layouts.Extents(1, 1, 2, 2), ways, Recompute.NONE, 2, true);
    PrecisionStrategy precision = mode.equals("zero2") ? FP8 : BF16;
    PlanParityTest.assertPlanned(
        Layouts.configuration(split), backend -> Layouts.strategies(split, precision, backend, request -> new Layouts.Text()), Set.of());
  }

  /** Owners of whole matrices have other memory than ranks with equal slices. */
  @ParameterizedTest
  @ValueSource(strings = {"zero1", "zero2", "fsdp"})
  void peakBytesWithWholeMatrices(String mode) {
    var ways = new Layouts.Ways("1f1b", "ring", mode, true, true);
    var split = new Layout(new Layouts.Extents(1, 1, 1, 4), ways, Recompute.NONE, 2, false);
    PrecisionStrategy precision = mode.equals("zero2") ? Layouts.FP32 : BF16;
    PlanParityTest.assertPlanned(
        Layouts.configuration(split),
        backend -> WholeMatrices.in(Layouts.strategies(split, precision, backend, request -> new Layouts.Text())), Set.of());
  }
}
