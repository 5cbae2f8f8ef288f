package io.hirundo.gpusuite.internal.step;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.gpusuite.internal.bench.TorchSide;
import io.hirundo.gpusuite.internal.fixture.TimedTrainer;
import io.hirundo.gpusuite.internal.part.Part.Finding;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.strategy.Choice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Steps of simulated durations, with a shell script in place of PyTorch. */
class StepPartTest {
    private static final int SECONDS = 150;
    private static final long MILLISECOND = 1_000_000;
    private static final StepSizes SIZES = new StepSizes("llama", 1000, 8, 64, 128, 256, new Heads(4, 2, 32));

    private final TimedTrainer quick = new TimedTrainer(Map.of("bf16", 2 * MILLISECOND, "fp8-blockwise", MILLISECOND));

    @TempDir
    private Path folder;

    private Finding run(TimedTrainer trainer, String python) {
        Finding found = new StepPart(trainer, SIZES, Choice.of("gpu"), python)
                .run(new TimeBudget(SECONDS, trainer.clock()), line -> {});
        assertEquals(0, trainer.open(), "runs that nobody closed");
        return found;
    }

    private String absent() {
        return folder.resolve("absent").toString();
    }

    private String python(String... lines) throws IOException {
        Path file = folder.resolve("python");
        Files.write(
                file, Stream.concat(Stream.of("#!/bin/sh"), Stream.of(lines)).toList());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        return file.toString();
    }

    @Test
    void comparesBothSidesWithTheTargets() throws IOException {
        String python = python(
                "echo READY torch 9.9",
                "while read request; do",
                "  echo $request >> " + folder.resolve("requests"),
                "  case $request in *' 1000 '*) echo 'SECONDS 0.003 its way' ;; *) echo 'SECONDS 0.0015 its way' ;; esac",
                "done");
        Finding found = run(quick, python);

        assertEquals(
                "2.0 ms a step in bf16, 50.0 % of the peak, 1.50 times PyTorch's speed; fp8-blockwise 2.00 times the fastest bf16;"
                        + " 8 layers, 64 tokens, vocabulary of 1000, compared with torch 9.9",
                found.summary());
        assertEquals(List.of(), found.failures());
        assertTrue(found.isWhole());
        assertEquals(
                List.of("step 1000 8 64 128 256 4 2", "step 256 8 64 128 256 4 2"),
                Files.readAllLines(folder.resolve("requests")));
        assertEquals(
                List.of(
                        "bf16 1 16 256",
                        "bf16 8 64 1000",
                        "fp8-blockwise 8 64 1000",
                        "bf16 8 64 256",
                        "fp8-blockwise 8 64 256"),
                quick.prepared());
        String details = found.details();
        assertTrue(details.contains("\n| whole | bf16 | 2.0 | 32000 | 494.5 | 50.0 % | 2.0 % |  |\n"), details);
        assertTrue(
                details.contains("\n| whole | PyTorch, bf16 | 3.0 | 21333 | 329.7 | 33.3 % |  | its way |\n"), details);
        assertTrue(
                details.contains("\n| blocks alone | fp8-blockwise | 1.0 | 64000 | 989.0 | 100.0 % | 2.0 % |  |\n"),
                details);
        assertTrue(details.contains("\n| MFU in bf16 | 60.0 % | 50.0 % |\n"), details);
        assertTrue(details.contains("\n| idle in bf16 | 1.0 % | 2.0 % |\n"), details);
        assertTrue(details.contains("\n| speed in bf16, whole step, by PyTorch's | 1.10 | 1.50 |\n"), details);
        assertTrue(details.contains("\n| speed in bf16, blocks alone, by PyTorch's | 1.10 | 0.75 |\n"), details);
        assertTrue(
                details.contains("\n| speed in fp8-blockwise, whole step, by the fastest bf16's | 1.20 | 2.00 |\n"),
                details);
        assertTrue(
                details.contains("\n| speed in fp8-blockwise, blocks alone, by the fastest bf16's | 1.35 | 1.50 |\n"),
                details);
    }

    @Test
    void measuresWithoutPyTorch() {
        Finding found = run(quick, absent());

        assertEquals(
                "2.0 ms a step in bf16, 50.0 % of the peak; fp8-blockwise 2.00 times the fastest bf16;"
                        + " 8 layers, 64 tokens, vocabulary of 1000, no PyTorch: " + absent() + " cannot be started",
                found.summary());
        assertTrue(found.isWhole());
        assertTrue(
                found.details().contains("| speed in bf16, whole step, by PyTorch's | 1.10 |  |\n"), found.details());
    }

    @Test
    void startsNoPyTorchForAnotherArchitectureThanItsScripts() throws IOException {
        var other = new StepSizes("other", 1000, 8, 64, 128, 256, new Heads(4, 2, 32));
        String python = python("touch " + folder.resolve("started"));
        Finding found = new StepPart(quick, other, Choice.of("gpu"), python)
                .run(new TimeBudget(SECONDS, quick.clock()), line -> {});

        assertTrue(found.summary().endsWith(", no PyTorch: its script trains llama, not other"), found.summary());
        assertTrue(found.isWhole());
        assertFalse(Files.exists(folder.resolve("started")));
    }

    @Test
    void reportsAFailureOfPyTorch() throws IOException {
        Finding found = run(
                quick,
                python("echo READY torch 9.9", "while read request; do echo 'NOT OutOfMemoryError so | much'; done"));

        assertTrue(
                found.details().contains("\n| whole | PyTorch, bf16 |  |  |  |  |  | OutOfMemoryError so / much |\n"),
                found.details());
        assertTrue(found.summary().contains("; fp8-blockwise 2.00 times the fastest bf16"), found.summary());
    }

    /** The probe has 1 layer and 16 tokens; the prediction for 8 layers and 64 tokens exceeds a tenth of the time. */
    @Test
    void reducesSizesOfSlowSteps() {
        var slow = new TimedTrainer(Map.of("bf16", 200 * MILLISECOND, "fp8-blockwise", 200 * MILLISECOND));
        Finding found = run(slow, absent());

        assertTrue(
                found.summary().contains("; 4 layers, 64 tokens, vocabulary of 1000 for want of time, no PyTorch"),
                found.summary());
        assertFalse(found.isWhole());
        assertTrue(
                found.details()
                        .startsWith("1 layer, 16 tokens, vocabulary of 256: 200.0 ms, by which 8 layers, 64 tokens,"),
                found.details());
        assertTrue(slow.prepared().contains("fp8-blockwise 4 64 1000"), slow.prepared()::toString);
    }

    /** Something is measured anyway, and what did not run is named. */
    @Test
    void cutsStepsWhenTheTimeIsOver() {
        var slowest = new TimedTrainer(Map.of("bf16", 4000 * MILLISECOND, "fp8-blockwise", 1000 * MILLISECOND));
        Finding found = run(slowest, absent());

        assertTrue(
                found.summary().endsWith("; not run for want of time: blocks alone, fp8-blockwise"), found.summary());
        assertEquals(
                List.of("bf16 1 16 256", "bf16 1 16 1000", "fp8-blockwise 1 16 1000", "bf16 1 16 256"),
                slowest.prepared());
        assertTrue(found.summary().startsWith("4000.0 ms a step in bf16, "), found.summary());
        assertFalse(found.isWhole());
    }

    @Test
    void reportsAFailingPrecision() {
        quick.failing = "fp8-blockwise";
        Finding found = run(quick, absent());

        assertEquals(
                List.of("whole step, fp8-blockwise: no memory", "blocks alone, fp8-blockwise: no memory"),
                found.failures());
        assertTrue(found.summary().startsWith("2.0 ms a step in bf16, 50.0 % of the peak; 8 layers"), found.summary());
    }

    @Test
    void scriptKnowsTheRequest() throws IOException {
        try (var script = TorchSide.class.getResourceAsStream("torch_side.py")) {
            String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(text.contains("\n    \"step\": step,\n"), text);
            assertTrue(
                    text.contains("\ndef step(vocabulary, layers, tokens, channels, inner, heads, groups):\n"), text);
        }
    }
}
