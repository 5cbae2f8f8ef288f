package io.hirundo.trainer.internal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.model.layer.Recompute;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.trainer.internal.parity.Layouts;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import io.hirundo.trainer.internal.parity.StructuredTokens;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The gradient norm, the loss and the signals of ranks share one all-reduce of a few scalars. */
class NormCollectivesTest {
    /** Loss, squares of gradients and signals, in FP64. */
    private static final long BYTES = 5 * Double.BYTES;

    @ParameterizedTest
    @CsvSource({"zero1, 1", "zero2, 1", "fsdp, 1", "zero1, 2"})
    void aStepHasOneAllReduceOfScalars(String mode, int pipeline) {
        var layout = new Layout(
                new Extents(1, 1, pipeline, 4), new Ways("1f1b", "ring", mode, true, true), Recompute.NONE, 1, false);
        var strategies = Layouts.strategies(
                layout, new MetaFactory().create(new MetaOptions()), request -> new StructuredTokens());
        for (DryRun.OfRank rank :
                DryRun.of(Layouts.configuration(layout), strategies).ranks()) {
            var collectives = rank.collectivesPerStep();
            collectives.keySet().removeIf(name -> !name.startsWith("all-reduce "));
            assertEquals("[all-reduce all]", collectives.keySet().toString());
            var sum = collectives.values().iterator().next();
            assertEquals(1, sum.calls());
            assertEquals(BYTES, sum.movedBytes());
        }
    }
}
