package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.lib.engine.accounting.AccountedLedger.Work;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.model.layer.Recompute;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.parallel.DataParallel;
import io.hirundo.paralleldp.internal.fsdp.FsdpFactory;
import io.hirundo.paralleldp.internal.fsdp.FsdpOptions;
import io.hirundo.paralleldp.internal.zero1.Zero1Factory;
import io.hirundo.paralleldp.internal.zero1.Zero1Options;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.trainer.internal.fixture.MiscodedWeights;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import io.hirundo.trainer.internal.session.LocalRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Weight gathers of quantized values between data-parallel ranks: fewer bytes, and bitwise the same run. */
class Fp8GathersTest {
    private static final int STEPS = 3;
    private static final int LAYERS = 4;

    private static final long HEAD_ELEMENTS = 128_256L * 4096;

    /** Elements of a layer: qkv, o_proj, gate_up, down_proj. */
    private static final long MATRIX_ELEMENTS = 4096L * (6144 + 4096 + 2 * 14_336 + 14_336);

    /** A Llama with the sizes of 8 billion parameters, but fewer layers. */
    private static LlamaOptions wide(boolean tied) {
        return new LlamaOptions(
                128_256, 4096, 14_336, LAYERS, 32, 8, 0, 8192, 1e-5, 500_000, null, tied, 0.02, false, false, 0);
    }

    private static PrecisionStrategy fp8(String scales, boolean head) {
        return new Fp8BlockwiseFactory()
                .create(new Fp8BlockwiseOptions(
                        scales, Fp8BlockwiseOptions.E4M3, Fp8BlockwiseOptions.SHARD_LOCAL, 0, 0, true, head));
    }

    @TempDir
    private Path folder;

    static Stream<Arguments> layouts() {
        return Stream.of(
                Arguments.of(new Extents(1, 1, 1, 2), "fsdp", true, fp8(Fp8BlockwiseOptions.POWER_OF_TWO, true)),
                Arguments.of(new Extents(1, 1, 1, 4), "fsdp", false, fp8(Fp8BlockwiseOptions.EXACT, false)),
                Arguments.of(new Extents(1, 1, 2, 2), "zero1", true, fp8(Fp8BlockwiseOptions.EXACT, true)),
                Arguments.of(new Extents(2, 1, 1, 2), "zero1", false, fp8(Fp8BlockwiseOptions.POWER_OF_TWO, false)));
    }

    /** The gradient norm depends on every gradient, and the next one on every weight. */
    @ParameterizedTest
    @MethodSource("layouts")
    void areBitwiseEqualToUnquantizedGathers(
            Extents extents, String data, boolean overlap, PrecisionStrategy precision) {
        List<List<Double>> whole = figures(layout(extents, data + " without codes", overlap), precision);
        assertEquals(whole, figures(layout(extents, data, overlap), precision));
        assertNotEquals(whole.getFirst(), whole.getLast());
    }

    /** Loss and gradient norm of each step. */
    private static List<List<Double>> figures(Layout layout, PrecisionStrategy precision) {
        var strategies = Layouts.strategies(layout, precision, Layouts.cpu(), request -> new StructuredTokens());
        try (var run = LocalRun.open(Layouts.configuration(layout), strategies)) {
            return IntStream.range(0, STEPS)
                    .mapToObj(step -> run.step())
                    .map(metrics -> List.of(metrics.loss(), metrics.gradientNorm()))
                    .toList();
        }
    }

    /** Quantized values, including padding to equal shards, and amax values, compared with the bf16 weights that they replace. */
    @ParameterizedTest
    @CsvSource({"fsdp, 2", "fsdp, 4", "zero1, 2", "zero1, 4"})
    void sendHalfTheBytesOfBf16(String data, int ranks) {
        Map<String, Work> messages = messages(data, ranks, true);
        Work gathers = messages.get("all-gather context+data");
        Work wholeGathers = messages(data, ranks, false).get("all-gather context+data");
        // Unquantized, the FP8 GEMMs need FP32. fsdp gathers a layer as often as it runs; zero1 gathers everything
        // once.
        long times = Math.round((wholeGathers.movedBytes() - gathers.movedBytes()) / (3.0 * MATRIX_ELEMENTS));
        assertTrue(data.equals("fsdp") ? times > LAYERS && times % LAYERS == 0 : times == LAYERS, times + " times");
        long bf16Bytes = times * MATRIX_ELEMENTS * 2;
        long othersBytes = wholeGathers.movedBytes() - 2 * bf16Bytes;
        long codesBytes = gathers.movedBytes() - othersBytes;
        Work magnitudes = messages.get("all-reduce context+data");
        long bytes = codesBytes + magnitudes.movedBytes();
        assertTrue(othersBytes > 0, times + " times, " + othersBytes);
        assertTrue(bytes <= 0.501 * bf16Bytes, bytes + " of " + bf16Bytes);
        assertTrue(codesBytes >= 0.499 * bf16Bytes, "all quantized values are gathered, besides padding");
        assertEquals(1, magnitudes.calls(), "one all-reduce of amax values per step");
    }

    /** If its GEMMs are FP8, and it is not tied to the embedding. */
    @ParameterizedTest
    @ValueSource(strings = {"fsdp", "zero1"})
    void includeTheHead(String data) {
        double saved = gathered(data, false, false) - gathered(data, false, true);
        // One byte instead of BF16 per weight; fsdp gathers it once for all microbatches of a step or once for each.
        double times = Math.rint(saved / HEAD_ELEMENTS);
        assertTrue(times >= 1, "saved " + saved);
        assertEquals(HEAD_ELEMENTS * times, saved, 0.001 * saved);
        long tied = gathered(data, true, false);
        assertTrue(
                gathered(data, true, true) >= tied + 2 * HEAD_ELEMENTS,
                "a head tied to the embedding is gathered in FP32, which its GEMMs quantize");
    }

    private static long gathered(String data, boolean tied, boolean head) {
        var precision = fp8(Fp8BlockwiseOptions.POWER_OF_TWO, head);
        return messages(data, 2, true, precision, wide(tied))
                .get("all-gather context+data")
                .movedBytes();
    }

    private static Map<String, Work> messages(String data, int ranks, boolean codes) {
        return messages(data, ranks, codes, fp8(Fp8BlockwiseOptions.POWER_OF_TWO, false), wide(false));
    }

    private static Map<String, Work> messages(
            String data, int ranks, boolean codes, PrecisionStrategy precision, LlamaOptions sizes) {
        Layout layout = layout(new Extents(1, 1, 1, ranks), data, true);
        var narrow = Layouts.strategies(
                layout, precision, new MetaFactory().create(new MetaOptions()), request -> new StructuredTokens());
        var parallel = narrow.parallel();
        DataParallel strategy = data.equals("fsdp")
                ? new FsdpFactory().create(new FsdpOptions(true, codes))
                : new Zero1Factory().create(new Zero1Options(0, true, true, codes));
        var wide = new Strategies(
                narrow.compute(),
                new Strategies.Parallel(
                        parallel.fabric(), parallel.schedule(), parallel.tensor(), parallel.context(), strategy),
                new Strategies.Model(new LlamaFactory().create(sizes), null, Optional.empty()),
                narrow.step(),
                narrow.data(),
                narrow.outcome());
        return DryRun.of(Layouts.configuration(layout), wide).ranks().getFirst().collectivesPerStep();
    }

    private static Layout layout(Extents extents, String data, boolean overlap) {
        return new Layout(extents, new Ways("1f1b", "ring", data, true, overlap), Recompute.NONE, 2, false);
    }

    /** Switches to fp8 and back, with a validation in between, and switches quantized gathers off and on meanwhile. */
    @ParameterizedTest
    @ValueSource(strings = {"fsdp", "zero1"})
    void supportChangesOfPrecision(String data) {
        SteeredRun coded = swapped(data, true);
        SteeredRun whole = swapped(data, false);
        assertEquals(whole.losses, coded.losses);
        assertNotEquals(whole.losses.get(0), whole.losses.get(SteeredRun.STEPS - 1));
    }

    /** The parity check gathers weights as a step does. */
    @ParameterizedTest
    @ValueSource(strings = {"fsdp", "zero1"})
    void areCheckedBeforeASwap(String data) {
        for (boolean codes : new boolean[] {true, false}) {
            var strategy = Map.of("name", data, "options", Map.of("gatherCodes", codes));
            var run = new SteeredRun(folder.resolve(data + codes))
                    .with("mesh", Map.of("data", 2, "dataParallel", strategy));
            run.catalog.add("precision", "miscoded", new MiscodedWeights());
            run.with("swap", Map.of("gate", Map.of("loss", 10)));
            var there = run.change(2, "precision=miscoded");
            run.run();
            assertEquals(!codes, there.join().granted(), there.join().message());
            assertTrue(
                    !codes || there.join().message().contains("the quantized weight in the output of "),
                    there.join().message());
        }
    }

    private SteeredRun swapped(String data, boolean codes) {
        var strategy = Map.of("name", data, "options", Map.of("gatherCodes", codes));
        var run = new SteeredRun(folder.resolve(data + codes))
                .with("precision", Map.of("name", "bf16"))
                .with("mesh", Map.of("data", 2, "dataParallel", strategy))
                .with("evaluation", Map.of("samples", 2, "everySteps", 2));
        var there = run.change(2, "precision={name: fp8-blockwise, options: {blocks: shard-local}}");
        var off = run.change(5, "mesh.dataParallel.options.gatherCodes=false");
        var on = run.change(7, "mesh.dataParallel.options.gatherCodes=" + codes);
        var back = run.change(9, "precision=bf16");
        run.run();
        for (var change : List.of(there, off, on, back)) {
            assertTrue(change.join().granted(), change.join().message());
        }
        return run;
    }
}
