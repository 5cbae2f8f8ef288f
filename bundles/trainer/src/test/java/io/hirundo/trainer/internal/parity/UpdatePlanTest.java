package io.hirundo.trainer.internal.parity;

import io.hirundo.model.layer.Recompute;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizerlion.internal.LionFactory;
import io.hirundo.optimizerlion.internal.LionOptions;
import io.hirundo.optimizermuon.internal.MuonFactory;
import io.hirundo.optimizermuon.internal.MuonOptions;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.trainer.internal.fixture.Replaced;
import io.hirundo.trainer.internal.fixture.WholeMatrices;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As {@link PlanParityTest}, for what updates need: gradients, owners of matrices, and the memory of optimizers. */
class UpdatePlanTest {
    /** In two microbatches a rank. */
    @ParameterizedTest
    @ValueSource(strings = {"zero1", "zero2", "fsdp"})
    void peakBytesWithGradientsInBf16(String mode) {
        var ways = new Layouts.Ways("1f1b", "ring", mode + " bf16", true, true);
        var split = new Layout(new Layouts.Extents(1, 1, 2, 2), ways, Recompute.NONE, 2, true);
        PlanParityTest.assertPlanned(
                Layouts.configuration(split),
                backend -> Layouts.strategies(
                        split,
                        mode.equals("zero2") ? PlanParityTest.FP8 : PlanParityTest.BF16,
                        backend,
                        request -> new StructuredTokens()),
                Set.of());
    }

    /** Owners of whole matrices have other memory than ranks with equal slices. */
    @ParameterizedTest
    @ValueSource(strings = {"zero1", "zero2", "fsdp"})
    void peakBytesWithWholeMatrices(String mode) {
        var ways = new Layouts.Ways("1f1b", "ring", mode, true, true);
        var split = new Layout(new Layouts.Extents(1, 1, 1, 4), ways, Recompute.NONE, 2, false);
        PrecisionStrategy precision = mode.equals("zero2") ? Layouts.FP32 : PlanParityTest.BF16;
        PlanParityTest.assertPlanned(
                Layouts.configuration(split),
                backend -> WholeMatrices.in(
                        Layouts.strategies(split, precision, backend, request -> new StructuredTokens())),
                Set.of());
    }

    @ParameterizedTest
    @ValueSource(strings = {"lion", "muon"})
    void peakBytesWithOtherOptimizers(String name) {
        Optimizer optimizer = name.equals("lion")
                ? new LionFactory().create(new LionOptions())
                : new MuonFactory().create(new MuonOptions());
        var ways = new Layouts.Ways("1f1b", "ring", "zero1", true, true);
        var split = new Layout(new Layouts.Extents(1, 1, 2, 2), ways, Recompute.NONE, 2, false);
        PlanParityTest.assertPlanned(
                Layouts.configuration(split),
                backend -> Replaced.optimizer(
                        Layouts.strategies(split, Layouts.FP32, backend, request -> new StructuredTokens()), optimizer),
                Set.of());
    }

    /** With several microbatches and with one: the first backward of a step allocates the gradients, and the others add to them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void peakBytesWithLateGradients(int microBatch) {
        Layout split = ofTwoDataRanks("zero1 late", microBatch);
        PlanParityTest.assertPlanned(
                Layouts.configuration(split),
                backend -> Layouts.strategies(split, PlanParityTest.BF16, backend, request -> new StructuredTokens()),
                Set.of());
    }

    @ParameterizedTest
    @ValueSource(strings = {"zero1", "zero2"})
    void peakBytesWithMomentsInEightBits(String mode) {
        Layout split = ofTwoDataRanks(mode, 2);
        PlanParityTest.assertPlanned(
                Layouts.configuration(split),
                backend -> Replaced.eightBitMoments(
                        Layouts.strategies(split, PlanParityTest.BF16, backend, request -> new StructuredTokens())),
                Set.of());
    }

    private static Layout ofTwoDataRanks(String mode, int microBatch) {
        return new Layout(
                new Layouts.Extents(1, 1, 1, 2),
                new Layouts.Ways("1f1b", "ring", mode, true, true),
                Recompute.NONE,
                microBatch,
                true);
    }
}
