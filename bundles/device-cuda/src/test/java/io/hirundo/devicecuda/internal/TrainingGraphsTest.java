package io.hirundo.devicecuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.devicecuda.internal.fixture.StubTraining;
import io.hirundo.event.TrainingEvent.StepCompleted;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Driver calls of training steps with CUDA graphs. */
class TrainingGraphsTest {
    private static final int STEPS = 12;

    /** Graphs are captured in the fourth step, and replayed from the fifth on. */
    private static final int FEW_STEPS = 7;

    private static final Map<String, Object> ONE_RANK = Map.of();

    /** Of one rank without graphs, and with one validation at the end. */
    private static List<Step> plain;

    @TempDir
    private Path folder;

    @BeforeAll
    static void trainWithoutGraphs(@TempDir Path folder) {
        plain = train(folder, false, STEPS, Map.of("samples", 1), ONE_RANK);
    }

    /** The results of a step, and its driver calls for kernels, graphs and memory. */
    private record Step(Found found, Calls calls) {}

    private record Found(double loss, double gradientNorm) {}

    private record Calls(int launches, int graphs, int taken) {}

    private static List<Found> found(List<Step> steps) {
        return steps.stream().map(Step::found).toList();
    }

    private List<Step> train(boolean graphs, int count, Map<String, Object> evaluation, Map<String, Object> mesh) {
        return train(folder, graphs, count, evaluation, mesh);
    }

    private static List<Step> train(
            Path folder, boolean graphs, int count, Map<String, Object> evaluation, Map<String, Object> mesh) {
        StubCuda stub = StubCuda.orSkip();
        var steps = new ArrayList<Step>();
        var calls = List.of("cuLaunchKernel", "cuGraphLaunch", "cuMemAllocAsync");
        int[] before = calls.stream().mapToInt(stub::calls).toArray();
        new StubTraining(stub, folder, graphs, mesh)
                .run((int) mesh.getOrDefault("pipeline", 1), count, evaluation, event -> {
                    if (event instanceof StepCompleted step) {
                        int[] now = calls.stream().mapToInt(stub::calls).toArray();
                        steps.add(new Step(
                                new Found(step.metrics().loss(), step.metrics().gradientNorm()),
                                new Calls(now[0] - before[0], now[1] - before[1], now[2] - before[2])));
                        System.arraycopy(now, 0, before, 0, now.length);
                    }
                });
        return steps;
    }

    @Test
    void graphsChangeNoResult() {
        List<Step> inGraphs = train(true, FEW_STEPS, Map.of("samples", 1), ONE_RANK);
        assertEquals(found(plain).subList(0, FEW_STEPS), found(inGraphs));
        Calls before = plain.get(FEW_STEPS - 1).calls;
        Calls steady = inGraphs.getLast().calls;
        assertEquals(0, before.graphs);
        assertTrue(steady.graphs >= 1 && steady.graphs <= 3, steady.toString());
        assertTrue(
                steady.launches * 10 < before.launches, "only the optimizer's and those between two waits: " + steady);
        assertEquals(0, steady.taken, "all memory of a step has a fixed offset");
        assertEquals(steady, inGraphs.get(FEW_STEPS - 2).calls);
    }

    /** A step allocates and frees late gradients, so they have fixed offsets, too. */
    @Test
    void lateGradientsAreInGraphs() {
        Map<String, Object> late =
                Map.of("dataParallel", Map.of("name", "zero1", "options", Map.of("lateGradients", true)));
        List<Step> inGraphs = train(true, FEW_STEPS, Map.of("samples", 1), late);
        assertEquals(found(plain).subList(0, FEW_STEPS), found(inGraphs));
        assertTrue(inGraphs.getLast().calls.graphs >= 1, inGraphs.toString());
        assertEquals(0, inGraphs.getLast().calls.taken, "all memory of a step has a fixed offset");
    }

    /** Validations allocate other memory between steps. The step after one has the work of others: weights are stored as layers read them. */
    @Test
    void replaysGraphsAfterValidations() {
        var evaluation = Map.<String, Object>of(
                "samples", 1, "everySteps", 3, "roundingEverySteps", 11, "kernelTimesEverySteps", 12);
        List<Step> inGraphs = train(true, STEPS, evaluation, ONE_RANK);
        assertEquals(found(plain), found(inGraphs));
        // Steps 4, 7 and 10 follow a validation, step 11 measures quantization error, and step 12 times kernels one by
        // one.
        assertEquals(
                List.of(false, false, false, false, true, true, true, true, true, true, false, false),
                inGraphs.stream().map(step -> step.calls.graphs > 0).toList());
    }

    @Test
    void replaysGraphsIfEveryStepFollowsAValidation() {
        List<Step> inGraphs = train(true, FEW_STEPS + 1, Map.of("samples", 1, "everySteps", 1), ONE_RANK);
        assertTrue(
                inGraphs.subList(FEW_STEPS - 1, FEW_STEPS + 1).stream().allMatch(step -> step.calls.graphs > 0),
                inGraphs::toString);
    }

    @Test
    void capturesGraphsOnEveryRank() {
        assertSame(Map.of("data", 2));
    }

    /** Ranks that wait for each other have shorter segments. */
    @ParameterizedTest
    @MethodSource("meshes")
    @Tag("soak")
    void capturesGraphsInEveryLayout(Map<String, Object> mesh) {
        assertSame(mesh);
    }

    static Stream<Map<String, Object>> meshes() {
        return Stream.of(Map.of("tensor", 2), Map.of("pipeline", 2), Map.of("context", 2));
    }

    private void assertSame(Map<String, Object> mesh) {
        List<Step> inGraphs = train(true, FEW_STEPS, Map.of("samples", 1), mesh);
        assertEquals(found(train(false, FEW_STEPS, Map.of("samples", 1), mesh)), found(inGraphs));
        assertTrue(inGraphs.getLast().calls.graphs > 0, inGraphs.toString());
    }
}
