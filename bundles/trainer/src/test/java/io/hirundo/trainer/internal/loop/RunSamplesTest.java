package io.hirundo.trainer.internal.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.data.Tokenizer;
import io.hirundo.event.TrainingEvent.SampleWritten;
import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.testkit.data.LetterTokenizer;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text samples that a run generates during training. */
class RunSamplesTest {
    private static final int TOKENS = 20;

    @TempDir
    private Path folder;

    private SteeredRun run(String name, Map<String, ?> samples) {
        return run(name, samples, OptionalInt.empty());
    }

    private SteeredRun run(String name, Map<String, ?> samples, OptionalInt begin) {
        var run = new SteeredRun(folder.resolve(name));
        run.catalog.add(
                "tokenizer",
                "letters",
                new Fixed<>(Tokenizer.class, new LetterTokenizer(' ', 96, begin, OptionalInt.empty())));
        return run.with("data", Map.of("source", source(), "tokenizer", Map.of("name", "letters")))
                .with("samples", samples);
    }

    private static Map<String, Object> source() {
        return Map.of("name", "synthetic", "options", Map.of("vocabulary", 96));
    }

    /** More tokens than the maximum sequence length, so that the window moves. */
    private static Map<String, ?> every(long steps) {
        return Map.of("everySteps", steps, "prompts", List.of("abc", "de"), "tokens", TOKENS);
    }

    @Test
    void writesEachPromptAtItsStepsAndAfterTheLast() {
        var run = run("run", every(5)).run();
        var samples = run.events(SampleWritten.class);
        assertEquals(
                List.of(5L, 5L, 10L, 10L, 12L, 12L),
                samples.stream().map(SampleWritten::step).toList());
        assertEquals(
                List.of("abc", "de", "abc", "de", "abc", "de"),
                samples.stream().map(SampleWritten::prompt).toList());
        samples.forEach(sample -> assertEquals(TOKENS, sample.text().length(), sample::toString));
        assertNotEquals(samples.get(0).text(), samples.get(4).text(), "the model has learned nothing in between");
        assertTrue(run.events.indexOf(samples.get(0))
                > run.events.indexOf(run.events(StepCompleted.class).get(4)));
        assertTrue(run.events.indexOf(samples.get(0))
                < run.events.indexOf(run.events(StepCompleted.class).get(5)));
        assertEquals(samples, run("again", every(5)).run().events(SampleWritten.class));
    }

    /** fp8-delayed keeps amax values of earlier forward passes, which must not include those of samples. */
    @ParameterizedTest
    @ValueSource(strings = {"fp32", "bf16", "fp8-delayed", "fp8-blockwise"})
    void samplesChangeNoLoss(String precision) {
        var without = run("without", Map.of())
                .with("precision", Map.of("name", precision))
                .run();
        var with = run("with", every(1))
                .with("precision", Map.of("name", precision))
                .run();
        assertEquals(without.losses, with.losses);
        assertEquals(2 * SteeredRun.STEPS, with.events(SampleWritten.class).size());
    }

    @Test
    void areOffByDefault() {
        assertEquals(List.of(), run("run", Map.of()).run().events(SampleWritten.class));
    }

    @Test
    void stopOnInterruption() {
        var run = run("run", every(5));
        run.after(5, () -> run.interrupted.set(true)).run();
        assertEquals(List.of(), run.events(SampleWritten.class));
    }

    @Test
    void acceptsAnEmptyPromptWithABeginToken() {
        var samples = Map.of("everySteps", 100, "prompts", List.of(""));
        assertEquals(
                64,
                run("run", samples, OptionalInt.of(95))
                        .run()
                        .events(SampleWritten.class)
                        .getFirst()
                        .text()
                        .length());
    }

    @Test
    void rejectsAnEmptyPromptWithoutABeginToken() {
        var failure = assertThrows(
                ConfigurationException.class,
                () -> run("run", Map.of("everySteps", 1, "prompts", List.of("a", "")))
                        .run());
        assertTrue(failure.getMessage().startsWith("samples.prompts[1]: is empty"), failure.getMessage());
        assertFalse(Files.exists(folder.resolve("run").resolve("steered")), "something was trained");
    }

    private void rejects(String path, String reason, SteeredRun run) {
        var failure = assertThrows(ConfigurationException.class, run::configuration);
        assertTrue(failure.getMessage().contains(path) && failure.getMessage().contains(reason), failure.getMessage());
    }

    @Test
    void rejectsSamplesWithoutPromptsOrTokenizer() {
        rejects("samples.prompts", "there is nothing to continue", run("run", Map.of("everySteps", 1)));
        rejects(
                "samples.everySteps",
                "samples need a data.tokenizer",
                run("run", every(1)).with("data", Map.of("source", source())));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tensor", "context", "pipeline", "data"})
    void rejectsAModelOnSeveralRanks(String axis) {
        rejects(
                "samples.everySteps",
                "the model is on 2 ranks",
                run("run", every(1)).with("mesh", Map.of(axis, 2)));
        assertEquals(
                2,
                run("run", Map.of())
                        .with("mesh", Map.of(axis, 2))
                        .configuration()
                        .mesh()
                        .mesh()
                        .ranks());
    }
}
