package io.hirundo.gpusuite.internal.graphs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.gpusuite.internal.fixture.FakeTrainer;
import io.hirundo.gpusuite.internal.fixture.FakeTrainer.Outcome;
import io.hirundo.gpusuite.internal.graphs.GraphsPart.Training;
import io.hirundo.gpusuite.internal.model.SmallModel;
import io.hirundo.gpusuite.internal.part.Part.Finding;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.strategy.Choice;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.LongToDoubleFunction;
import org.junit.jupiter.api.Test;

/** A run that differs in graphs, or launches none, is a failure. */
class GraphsPartTest {
    private static final LongToDoubleFunction LOSS = step -> 6 - 0.1 * step;
    private static final LongToDoubleFunction NORM = step -> 1.0 / step;

    private static boolean isInGraphs(Map<String, Object> configuration) {
        var options = (Map<?, ?>) ((Map<?, ?>) configuration.get("device")).get("options");
        assertEquals("here", options.get("toolkit"), "the others stay");
        return (boolean) options.get("graphs");
    }

    private static Finding run(
            LongToDoubleFunction loss, LongToDoubleFunction norm, int launchesOfStep, LongSupplier clock) {
        var launches = new long[1];
        var trainer = new FakeTrainer(configuration ->
                isInGraphs(configuration) ? new Outcome(loss, norm, Map.of()) : new Outcome(LOSS, NORM, Map.of()));
        var trainings = List.of(
                new Training("small", "bf16", SmallModel.compared("llama").run()),
                new Training(
                        "small", "fp8-blockwise", SmallModel.compared("llama").run()));
        var part = new GraphsPart(
                trainer,
                trainings,
                new Choice("gpu", Map.of("toolkit", "here")),
                device -> launches[0] += 6L * launchesOfStep);
        Finding found = part.run(new TimeBudget(1, clock), line -> {});
        assertEquals(0, trainer.open, "runs that nobody closed");
        return found;
    }

    @Test
    void timesEqualRuns() {
        Finding found = run(LOSS, NORM, 2, () -> 0);
        assertEquals(List.of(), found.failures());
        assertEquals("2 of 2 trainings are the same in graphs", found.summary());
        assertTrue(found.details().contains("\n| small in bf16 | 2.000 | 2.000 | 1.00 | 2 |\n"), found.details());
    }

    @Test
    void reportsADifferentBitOfLossOrNorm() {
        LongToDoubleFunction other =
                step -> step == 7 ? Math.nextUp(LOSS.applyAsDouble(step)) : LOSS.applyAsDouble(step);
        Finding found = run(other, NORM, 2, () -> 0);
        assertEquals("0 of 2 trainings are the same in graphs", found.summary());
        assertTrue(
                found.failures().getFirst().startsWith("small in bf16: in graphs step 7 has loss 5.3000000000000"),
                found.failures()::toString);
        assertEquals(2, run(LOSS, step -> 1, 2, () -> 0).failures().size());
        assertEquals(2, run(step -> Double.NaN, NORM, 2, () -> 0).failures().size());
    }

    @Test
    void reportsRunsWithoutGraphs() {
        assertEquals(
                List.of(
                        "small in bf16: no graph was launched; the log says why",
                        "small in fp8-blockwise: no graph was launched; the log says why"),
                run(LOSS, NORM, 0, () -> 0).failures());
    }

    @Test
    void reportsAFailingRun() {
        LongToDoubleFunction failing = step -> {
            throw new DeviceException("no memory");
        };
        assertEquals(
                List.of("small in bf16: no memory", "small in fp8-blockwise: no memory"),
                run(failing, NORM, 2, () -> 0).failures());
    }

    @Test
    void cutsRunsWhenTheTimeIsOver() {
        var asked = new long[1];
        Finding found = run(LOSS, NORM, 2, () -> asked[0]++ < 2 ? 0 : 2_000_000_000L);
        assertEquals("1 of 2 trainings are the same in graphs; 1 were not run for want of time", found.summary());
        assertFalse(found.isWhole());
    }
}
