package io.hirundo.trainer.internal.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.event.TrainingEvent.KernelsTimed;
import io.hirundo.event.TrainingEvent.RoundingMeasured;
import io.hirundo.trainer.internal.fixture.PartOfWorld;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tests of {@code device-cuda} cover devices that time their kernels. */
@Isolated("reads messages of the root logger")
class RunWarningsTest {
    private static final String KERNELS =
            "evaluation.kernelTimesEverySteps: the device cpu does not time its kernels, so no kernel times are reported";
    private static final String ROUNDING =
            "evaluation.roundingEverySteps: precision bf16 computes no layer of this model in 8 bits, so no quantization error is reported";

    @TempDir
    private Path folder;

    private SteeredRun run(String precision, Map<String, Object> evaluation) {
        return new SteeredRun(folder)
                .with("precision", Map.of("name", precision, "options", Map.of()))
                .with("training", Map.of("steps", 4, "sequenceTokens", 16, "globalBatch", 4))
                .with("evaluation", evaluation);
    }

    @Test
    void warnsOfImpossibleMeasurementsBeforeTheFirstStep() throws IOException {
        var run =
                run("bf16", Map.of("samples", 2, "everySteps", 1, "kernelTimesEverySteps", 3, "roundingEverySteps", 3));
        var change = run.change(2, "evaluation.everySteps=2");
        run.run();
        assertTrue(change.join().granted(), "an unrelated change");
        List<String> log = log();
        int firstStep = lineWith(log, "step 1:");
        for (String warning : List.of(KERNELS, ROUNDING)) {
            assertEquals(
                    1,
                    log.stream()
                            .filter(line -> line.endsWith("WARNING " + warning))
                            .count(),
                    log::toString);
            assertTrue(lineWith(log, warning) < firstStep, log::toString);
        }
        assertEquals(List.of(), run.events(KernelsTimed.class));
        assertEquals(List.of(), run.events(RoundingMeasured.class));
        assertEquals(4, run.losses.size());
    }

    @Test
    void warnsAfterAChangeThatMakesItImpossible() throws IOException {
        var run = run("fp8-current", Map.of("samples", 2, "roundingEverySteps", 1));
        run.change(2, "precision=bf16");
        assertEquals(3, run.run().events(RoundingMeasured.class).size());
        List<String> log = log();
        assertEquals(1, log.stream().filter(line -> line.contains("WARNING")).count(), log::toString);
        int warning = lineWith(log, ROUNDING);
        assertTrue(lineWith(log, "step 3:") < warning && warning < lineWith(log, "step 4:"), log::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"everySteps", "everySeconds"})
    void warnsOfMissingCheckpointsBeforeTheFirstStep(String setting) throws IOException {
        var checkpoint = new HashMap<String, Object>(Map.of(setting, 2));
        checkpoint.put("strategy", null);
        run("fp32", Map.of("samples", 2, "everySteps", 1))
                .with("checkpoint", checkpoint)
                .run();
        List<String> log = log();
        assertEquals(1, log.stream().filter(line -> line.contains("WARNING")).count(), log::toString);
        int warning =
                lineWith(log, "WARNING checkpoint." + setting + ": nothing is saved without a checkpoint.strategy; ");
        assertTrue(warning < lineWith(log, "step 1:"), log::toString);
    }

    @Test
    void doesNotWarnWithoutConfiguredSaves() throws IOException {
        run("fp32", Map.of("samples", 2)).run();
        List<String> log = log();
        assertEquals(0, log.stream().filter(line -> line.contains("WARNING")).count(), log::toString);
    }

    /** One line per run: not one per rank, and none from processes that do not lead. */
    @ParameterizedTest
    @MethodSource
    void warnsOncePerRun(List<List<Integer>> processes) {
        assertEquals(List.of(KERNELS, ROUNDING), warnings(processes, Map.of("name", "bf16")));
    }

    static List<List<List<Integer>>> warnsOncePerRun() {
        return List.of(List.of(List.of(0, 1)), List.of(List.of(0), List.of(1)));
    }

    /** The first stage has no FP8 GEMMs, so its process asks the others before it warns. */
    @Test
    void acceptsMeasurementsOfAnotherProcess() {
        var later = Map.of("name", "fp8-blockwise", "options", Map.of("firstInBf16", 2));
        assertEquals(List.of(KERNELS), warnings(List.of(List.of(0), List.of(1)), later));
    }

    /** The log lines of processes with these ranks, each a stage of a pipeline. */
    private List<String> warnings(List<List<Integer>> processes, Map<String, ?> precision) {
        var lines = new CopyOnWriteArrayList<String>();
        var logger = Logger.getLogger(RunWarnings.class.getName());
        logger.setFilter(message -> {
            lines.add(message.getMessage());
            return true;
        });
        try {
            PartOfWorld.together(
                    processes,
                    part -> new SteeredRun(folder)
                            .with("precision", precision)
                            .with("training", Map.of("steps", 2, "sequenceTokens", 16, "globalBatch", 4))
                            .with(
                                    "evaluation",
                                    Map.of("samples", 2, "kernelTimesEverySteps", 3, "roundingEverySteps", 3))
                            .with("mesh", Map.of("pipeline", 2, "stageLayers", List.of(2, 2), "fabric", "part"))
                            .part(part)
                            .run());
        } finally {
            logger.setFilter(null);
        }
        return lines;
    }

    private List<String> log() throws IOException {
        return Files.readAllLines(folder.resolve("steered").resolve("rank-0").resolve("log.txt"));
    }

    private static int lineWith(List<String> log, String words) {
        return IntStream.range(0, log.size())
                .filter(i -> log.get(i).contains(words))
                .findFirst()
                .orElseThrow();
    }
}
