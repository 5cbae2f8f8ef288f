package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.model.layer.Recompute;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.trainer.internal.fixture.GlobalState;
import io.hirundo.trainer.internal.fixture.WholeMatrices;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The global tensors that checkpoints save are the same in every data-parallel mode, also on another number of stages: they are copied from a
 * run of one mode to a run of another, without files, and read back bitwise. {@code LayoutChangeTest} resumes from files.
 */
class ModeResumeTest {
    private static final PrecisionStrategy BF16 = new Bf16Factory().create(new Bf16Options());

    /** The optimizer asks for whole matrices. */
    private static final String WHOLE = " of whole matrices";

    static Stream<Arguments> modes() {
        Stream<Arguments> each = Stream.of("zero1", "zero2", "fsdp")
                .flatMap(from -> Stream.of("zero1", "zero2", "fsdp").map(to -> Arguments.of(from, to)));
        Stream<Arguments> whole = Stream.of(
                Arguments.of("zero1", "fsdp" + WHOLE),
                Arguments.of("fsdp" + WHOLE, "zero2" + WHOLE),
                Arguments.of("zero2" + WHOLE, "zero1"));
        return Stream.concat(each, whole);
    }

    @ParameterizedTest
    @MethodSource("modes")
    void takesTheStateOfAnyMode(String from, String to) {
        Map<String, double[]> saved;
        double nextLoss;
        try (LocalRun run = open(from, 1, 2)) {
            run.step();
            run.step();
            saved = GlobalState.of(run);
            assertTrue(
                    saved.keySet().stream().anyMatch(key -> key.startsWith("optimizer/exp_avg_sq/")),
                    saved.keySet().toString());
            nextLoss = run.evaluate();
        }
        try (LocalRun run = open(to, 2, 2)) {
            GlobalState.load(run, saved);
            Map<String, double[]> loaded = GlobalState.of(run);
            assertEquals(saved.keySet(), loaded.keySet());
            saved.forEach((key, values) -> assertArrayEquals(values, loaded.get(key), key));
            assertEquals(nextLoss, run.evaluate(), 1e-4);
            run.step();
        }
    }

    private static LocalRun open(String mode, int pipeline, int data) {
        var ways = new Layouts.Ways("1f1b", "ring", mode.replace(WHOLE, ""), true, true);
        var layout = new Layout(new Layouts.Extents(1, 1, pipeline, data), ways, Recompute.NONE, 1, true);
        Strategies strategies = Layouts.strategies(layout, BF16, Layouts.cpu(), request -> new StructuredTokens());
        return LocalRun.open(
                Layouts.configuration(layout), mode.endsWith(WHOLE) ? WholeMatrices.in(strategies) : strategies);
    }
}
