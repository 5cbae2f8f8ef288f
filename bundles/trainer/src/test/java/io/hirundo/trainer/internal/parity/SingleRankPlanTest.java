package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.model.layer.Recompute;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A single rank with {@code fsdp}: one block's compute weights at a time, and gradients from the backward on. */
class SingleRankPlanTest {
    private static Layout alone(Layouts.Ways ways) {
        return new Layout(new Layouts.Extents(1, 1, 1, 1), ways, Recompute.NONE, 1, false);
    }

    @ParameterizedTest
    @MethodSource("precisions")
    void takesThePlannedBytesAndLessThanWithCopiesOfAllWeights(PrecisionStrategy precision) {
        Layout late = alone(new Layouts.Ways("1f1b", "ring", "fsdp late", true, true));
        PlanParityTest.assertPlanned(Layouts.configuration(late), strategies(late, precision), Set.of());
        Layout kept = alone(Layouts.Ways.DEFAULT);
        // In FP32 layers read the masters.
        assertTrue(
                precision == PlanParityTest.FP32 || peakBytes(late, precision) < peakBytes(kept, precision),
                "it takes no less memory");
    }

    static Stream<Named<PrecisionStrategy>> precisions() {
        return Stream.of(
                Named.of("fp32", PlanParityTest.FP32),
                Named.of("bf16", PlanParityTest.BF16),
                Named.of("fp8", PlanParityTest.FP8));
    }

    private static Function<ComputeBackend, Strategies> strategies(Layout layout, PrecisionStrategy precision) {
        return backend -> Layouts.strategies(layout, precision, backend, request -> new StructuredTokens());
    }

    private static long peakBytes(Layout layout, PrecisionStrategy precision) {
        Strategies strategies = strategies(layout, precision).apply(new MetaFactory().create(new MetaOptions()));
        return DryRun.of(Layouts.configuration(layout), strategies)
                .ranks()
                .getFirst()
                .peakTotalBytes();
    }
}
