package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.model.layer.Recompute;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.trainer.internal.fixture.Parity;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Trace;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stage-to-stage activations may be sent in FP8: half the bytes, and the same training up to quantization error. */
class PipelineSendsTest {
    /**
     * The tolerance between bf16 and fp8: three transfers in each direction are quantized once more, with a relative error of at most a
     * sixteenth.
     */
    private static final Parity AS_WITH_VALUES = new Parity(3e-4, 1e-2, 0.16, 2e-3);

    private static PrecisionStrategy precision(String scales, String sends) {
        return new Fp8BlockwiseFactory()
                .create(new Fp8BlockwiseOptions(
                        scales, Fp8BlockwiseOptions.E4M3, Fp8BlockwiseOptions.SHARD_LOCAL, 0, 0, true, false, sends));
    }

    private static Layout layout(int tensor, int pipeline, String schedule) {
        return new Layout(new Extents(tensor, 1, pipeline, 1), Ways.of(schedule), Recompute.NONE, 2, true);
    }

    @Test
    void trainsAsWithUnquantizedSends() {
        Layout four = layout(1, 4, "1f1b");
        Trace values = Layouts.run(four, precision(Fp8BlockwiseOptions.POWER_OF_TWO, Fp8BlockwiseOptions.BF16));
        Trace codes = Layouts.run(four, precision(Fp8BlockwiseOptions.POWER_OF_TWO, Fp8BlockwiseOptions.FP8));

        AS_WITH_VALUES.check(values, codes);
        assertNotEquals(values.losses(), codes.losses());
    }

    /** Also with two chunks per rank, which exchange activations locally without quantization. */
    @ParameterizedTest
    @ValueSource(strings = {"1f1b", "zb-v"})
    void sendsHalfTheBytes(String schedule) {
        Layout layout = layout(2, 2, schedule);
        var values = messages(layout, precision(Fp8BlockwiseOptions.POWER_OF_TWO, Fp8BlockwiseOptions.BF16));
        var powers = messages(layout, precision(Fp8BlockwiseOptions.POWER_OF_TWO, Fp8BlockwiseOptions.FP8));
        var exact = messages(layout, precision(Fp8BlockwiseOptions.EXACT, Fp8BlockwiseOptions.FP8));
        for (String direction : List.of("send pipeline", "receive pipeline")) {
            // A row has 64 channels, so its single scale covers fewer values than it could.
            assertEquals(values.get(direction) * (64 + 2) / 128, powers.get(direction));
            assertEquals(values.get(direction) * (64 + 4) / 128, exact.get(direction));
        }
    }

    /** Bytes of the first rank in a step; planned and measured bytes are equal. */
    private static Map<String, Long> messages(Layout layout, PrecisionStrategy precision) {
        var cpu = Layouts.cpu();
        var profile = cpu.memoryProfile();
        var meta = new MetaFactory()
                .create(new MetaOptions(
                        profile.deviceName(), profile.alignmentBytes(), profile.workspaceBytes(), 1L << 40, null));
        var configuration = Layouts.configuration(layout);
        DryRun.Counted planned = DryRun.of(
                configuration, Layouts.strategies(layout, precision, meta, request -> new StructuredTokens()));
        var bytes = new HashMap<String, Long>();
        planned.ranks().getFirst().collectivesPerStep().forEach((name, work) -> bytes.put(name, work.movedBytes()));
        try (var run = LocalRun.open(
                configuration, Layouts.strategies(layout, precision, cpu, request -> new StructuredTokens()))) {
            run.step();
            run.step();
            assertEquals(bytes, run.lastStep().collectiveBytes());
            run.validation().all(() -> false);
            for (int rank = 0; rank < planned.ranks().size(); rank++) {
                assertEquals(
                        planned.ranks().get(rank).peakBytes(),
                        run.ranks().ledger(rank).peakBytes(),
                        "rank " + rank);
            }
        }
        return bytes;
    }
}
