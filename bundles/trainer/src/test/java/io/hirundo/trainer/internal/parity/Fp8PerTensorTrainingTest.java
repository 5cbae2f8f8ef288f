package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.event.TrainingEvent;
import io.hirundo.fp8pertensor.internal.Fp8CurrentFactory;
import io.hirundo.fp8pertensor.internal.Fp8CurrentOptions;
import io.hirundo.fp8pertensor.internal.Fp8DelayedFactory;
import io.hirundo.fp8pertensor.internal.Fp8DelayedOptions;
import io.hirundo.model.layer.Recompute;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.train.Decision;
import io.hirundo.trainer.internal.fixture.Parity;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Trace;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * With per-tensor scaling a small model trains as in bf16 up to quantization error, in any layout. The amax history contains training steps
 * only.
 */
class Fp8PerTensorTrainingTest {
    /** Two to four times the observed quantization error. Gradients are E5M2, with twice the rounding error of E4M3. */
    private static final Parity AS_IN_BF16 = new Parity(3e-4, 2e-2, 0.3, 4e-3);

    /** Each rank has its own scales for its activations and gradients. */
    private static final Parity SPLIT = new Parity(4e-4, 2e-2, 0.3, 4e-3);

    private static final Map<Scaling, Trace> ALONE = new EnumMap<>(Scaling.class);

    @TempDir
    private Path folder;

    /** A precision strategy. */
    enum Scaling {
        CURRENT(new Fp8CurrentFactory().create(new Fp8CurrentOptions())),
        DELAYED(new Fp8DelayedFactory().create(new Fp8DelayedOptions()));

        private final PrecisionStrategy strategy;

        Scaling(PrecisionStrategy strategy) {
            this.strategy = strategy;
        }

        Trace alone() {
            return ALONE.computeIfAbsent(this, scaling -> Layouts.run(Layout.alone(true), strategy));
        }
    }

    @Test
    void trainsAsBf16() {
        Trace bf16 = Layouts.alone(Layout.alone(true), Layouts.BF16, Layouts.STEPS);
        for (Scaling scaling : Scaling.values()) {
            AS_IN_BF16.check(bf16, scaling.alone());
            assertNotEquals(bf16.losses(), scaling.alone().losses(), "nothing was quantized");
        }
    }

    @Test
    void delaysScalesAfterTheFirstStep() {
        List<Double> current = Scaling.CURRENT.alone().losses();
        List<Double> delayed = Scaling.DELAYED.alone().losses();
        assertEquals(current.get(0), delayed.get(0));
        assertNotEquals(current, delayed);
    }

    @ParameterizedTest
    @MethodSource
    void layouts(Scaling scaling, Layout layout) {
        SPLIT.check(scaling.alone(), Layouts.run(layout, scaling.strategy));
    }

    static Stream<Arguments> layouts() {
        return Stream.of(
                Arguments.of(Scaling.DELAYED, layout(2, 1, 1, 1, Ways.DEFAULT, Recompute.SELECTIVE)),
                Arguments.of(Scaling.DELAYED, layout(1, 2, 1, 1, Ways.DEFAULT, Recompute.NONE)),
                Arguments.of(
                        Scaling.DELAYED,
                        layout(1, 1, 2, 2, new Ways("1f1b", "all-gather", "fsdp", false, true), Recompute.FULL)),
                Arguments.of(Scaling.CURRENT, layout(2, 2, 1, 1, Ways.DEFAULT, Recompute.NONE)));
    }

    private static Layout layout(int tensor, int context, int pipeline, int data, Ways ways, Recompute recompute) {
        return new Layout(new Extents(tensor, context, pipeline, data), ways, recompute, 2, true);
    }

    /** From each strategy to the next one, and back. */
    @Test
    void changesInOneRun() {
        var run = in("bf16", "swapped");
        var decisions = new ArrayList<CompletableFuture<Decision>>();
        int step = 1;
        for (String next : List.of("fp8-current", "fp8-delayed", "bf16", "fp8-delayed", "fp8-current", "bf16")) {
            decisions.add(run.change(step, "precision=" + next));
            step++;
        }
        run.run();
        decisions.forEach(decision ->
                assertTrue(decision.join().granted(), decision.join().message()));
        List<Double> expected = in("bf16", "unchanged").run().losses;
        for (int each = 0; each < SteeredRun.STEPS; each++) {
            assertEquals(expected.get(each), run.losses.get(each), 0.004, "step " + (each + 1));
        }
    }

    /** Without bf16 in between. */
    @Test
    void changesBetweenFp8Strategies() {
        var run = in("fp8-blockwise", "between");
        var decisions = new ArrayList<CompletableFuture<Decision>>();
        int step = 1;
        for (String next :
                List.of("fp8-current", "fp8-delayed", "fp8-blockwise", "fp8-delayed", "fp8-current", "fp8-blockwise")) {
            decisions.add(run.change(step, "precision=" + next));
            step++;
        }
        run.run();
        decisions.forEach(decision ->
                assertTrue(decision.join().granted(), decision.join().message()));
        List<Double> expected = in("fp8-blockwise", "unchanged").run().losses;
        for (int each = 0; each < SteeredRun.STEPS; each++) {
            assertEquals(expected.get(each), run.losses.get(each), 0.004, "step " + (each + 1));
        }
    }

    /** The parity check and validations leave no trace in the amax history. */
    @Test
    void rejectedChangeLeavesNoTrace() {
        var run = in("fp8-delayed", "tried");
        var rejected = run.change(3, "precision.name=faulty", "precision.options.fault=transposed-weight-gradient");
        run.run();
        assertFalse(rejected.join().granted(), rejected.join().message());
        assertEquals(in("fp8-delayed", "untried").run().losses, run.losses);
    }

    /**
     * The parity check has already sent what the first step would send to prepare weights: not a reportable change, whether the change is
     * accepted or rejected.
     */
    @Test
    void parityCheckCausesNoReportOfChangedBytes() {
        for (Map<String, Object> mesh :
                List.<Map<String, Object>>of(Map.of("tensor", 2), Map.of("data", 2, "dataParallel", "fsdp"))) {
            boolean taken = mesh.containsKey("data");
            var run = in("fp8-current", "counted-" + mesh.size()).with("mesh", mesh);
            run.document.put("swap", Map.of("gate", Map.of("output", taken ? 0.1 : 0.001)));
            var decision = run.change(3, "precision.options.gradients=e4m3");
            run.run();
            assertEquals(taken, decision.join().granted(), decision.join().message());
            assertTrue(
                    decision.join().message().contains("the output of"),
                    decision.join().message());
            assertEquals(
                    List.of(1L),
                    run.events(TrainingEvent.MessagesCounted.class).stream()
                            .map(TrainingEvent.MessagesCounted::step)
                            .toList());
        }
    }

    private SteeredRun in(String precision, String name) {
        return new SteeredRun(folder.resolve(name)).with("precision", Map.of("name", precision));
    }
}
