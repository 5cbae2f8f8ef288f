package io.hirundo.monitor.internal.jsonl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.StorageException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.device.KernelTimes;
import io.hirundo.device.KernelTimes.KernelTime;
import io.hirundo.event.CheckpointEvent;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.LayerRounding;
import io.hirundo.event.TrainingEvent.RunFailed;
import io.hirundo.event.TrainingEvent.RunFinished;
import io.hirundo.event.TrainingListener;
import io.hirundo.monitor.internal.Events;
import io.hirundo.precision.Operand;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.strategy.NoOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonlMonitorTest {
    private static final String STEP_TAIL =
            "\"gradNorm\":0.8125,\"learningRate\":3.0E-4,\"tokens\":2048,\"tokensPerSecond\":4096.0,\"modelTflops\":0.2,"
                    + "\"stepNanos\":500000000,"
                    + "\"liveBytes\":{\"weights\":1024,\"gradients\":0,\"optimizer\":2048,\"activations\":0,\"communication\":0,"
                    + "\"workspace\":0},"
                    + "\"peakBytes\":{\"weights\":1024,\"gradients\":0,\"optimizer\":2048,\"activations\":101711872,"
                    + "\"communication\":0,\"workspace\":0}";

    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void locate() {
        file = directory.resolve("metrics.jsonl");
    }

    private TrainingListener open(long firstStep) {
        TrainingListener monitor = new JsonlFactory().create(new NoOptions());
        monitor.on(Events.started(directory, firstStep, 100));
        return monitor;
    }

    private static String step(long step, String loss) {
        return "{\"step\":" + step + ",\"loss\":" + loss + "," + STEP_TAIL + "}";
    }

    /** Steps that are done again after a rollback are there once. */
    @Test
    void rollbackDropsRepeatedSteps() throws IOException {
        TrainingListener monitor = open(1);
        monitor.on(Events.step(1, 5.25));
        monitor.on(Events.step(2, 5));
        monitor.on(new TrainingEvent.AuditFound(2, 3, "output", "a.weight", 4, 5, 6, 1.5, 1.75, 0.125, "wrong again"));
        assertEquals(
                "{\"audit\":\"output\",\"step\":2,\"rank\":3,\"place\":\"a.weight\",\"call\":4,\"row\":5,\"column\":6,"
                        + "\"expected\":1.5,\"found\":1.75,\"bound\":0.125,\"replay\":\"wrong again\"}",
                Files.readAllLines(file).getLast());
        monitor.on(new TrainingEvent.RunRolledBack(1, 2, "wrong"));
        monitor.on(Events.step(2, 4.75));
        monitor.on(new RunFinished(2, false));
        assertEquals(
                List.of(step(1, "5.25"), "{\"rolledBack\":2,\"step\":1,\"reason\":\"wrong\"}", step(2, "4.75")),
                Files.readAllLines(file));
    }

    @Test
    void writesOneObjectPerStepValidationAndCheckpoint() throws IOException {
        TrainingListener monitor = open(1);
        monitor.on(Events.step(1, 5.25));
        monitor.on(new TrainingEvent.MessagesCounted(1, Map.of("all-gather tensor", 9L)));
        monitor.on(Events.evaluation(1, 4.5));
        monitor.on(new TrainingEvent.SampleWritten(1, "Once \"upon\"", " a\ntime"));
        monitor.on(new CheckpointEvent.CheckpointBegun(1, 300));
        monitor.on(Events.checkpoint(directory.resolve("checkpoints").resolve("step-1"), 1));
        monitor.on(Events.checkpoint(Path.of("/elsewhere"), 1));
        var inMemory = new CheckpointInfo(directory.resolve("checkpoints/memory/step-1"), 1, 5, true);
        monitor.on(new CheckpointEvent.CheckpointSaved(inMemory, 7));
        monitor.on(new CheckpointEvent.CheckpointPassedOver(
                1, directory.resolve("checkpoints").resolve("step-2"), "it is cut off"));
        monitor.on(new CheckpointEvent.CheckpointTakenInPart(
                1, directory.resolve("step-1"), List.of("a"), List.of("b", "c")));
        monitor.on(new CheckpointEvent.CheckpointCopied(1, "s3://bucket/run", 7, 8));
        monitor.on(new CheckpointEvent.CheckpointNotCopied(1, "s3://bucket/run", "the store says 503"));
        monitor.on(new CheckpointEvent.CheckpointFetched(
                1, directory.resolve("checkpoints").resolve("step-1"), "s3://bucket/run", 7, 8));
        monitor.on(new TrainingEvent.ModelCompared(1, directory.resolve("model"), 0.25, 0.5));
        monitor.on(new TrainingEvent.ChangeRejected(1, List.of("precision: fp32 to fp8"), "no parity"));
        var loss = new RoundingLoss(8, 2, 1, 0.25, 4);
        monitor.on(new TrainingEvent.RoundingMeasured(
                1,
                List.of(
                        new LayerRounding("up", Operand.INPUT, loss),
                        new LayerRounding("up", Operand.WEIGHT, loss.plus(loss)),
                        new LayerRounding("down", Operand.OUTPUT_GRADIENT, new RoundingLoss(0, 0, 0, 0, 0)))));
        var kernels = List.of(new KernelTime("norm.forward_bf16", 3, 500), new KernelTime("loss.fill", 1, 250));
        monitor.on(new TrainingEvent.KernelsTimed(1, new KernelTimes(kernels, 1000, 750)));
        monitor.on(new RunFinished(1, false));
        assertEquals(
                List.of(
                        step(1, "5.25"),
                        "{\"messageBytes\":{\"all-gather tensor\":9},\"step\":1}",
                        "{\"evaluation\":\"validation\",\"step\":1,\"loss\":4.5,\"tokens\":65536}",
                        "{\"sample\":\" a\\ntime\",\"prompt\":\"Once \\\"upon\\\"\",\"step\":1}",
                        "{\"saving\":true,\"step\":1,\"stallNanos\":300}",
                        "{\"checkpoint\":\"checkpoints/step-1\",\"step\":1,\"bytes\":101711872,\"saveNanos\":1200000000}",
                        "{\"checkpoint\":\"/elsewhere\",\"step\":1,\"bytes\":101711872,\"saveNanos\":1200000000}",
                        "{\"checkpoint\":\"checkpoints/memory/step-1\",\"step\":1,\"bytes\":5,\"saveNanos\":7,\"inMemory\":true}",
                        "{\"passedOver\":\"checkpoints/step-2\",\"step\":1,\"reason\":\"it is cut off\"}",
                        "{\"takenInPart\":\"step-1\",\"step\":1,\"missing\":[\"a\"],\"unexpected\":[\"b\",\"c\"]}",
                        "{\"copied\":\"s3://bucket/run\",\"step\":1,\"bytes\":7,\"copyNanos\":8}",
                        "{\"notCopied\":\"s3://bucket/run\",\"step\":1,\"reason\":\"the store says 503\"}",
                        "{\"fetched\":\"checkpoints/step-1\",\"step\":1,\"from\":\"s3://bucket/run\",\"bytes\":7,\"fetchNanos\":8}",
                        "{\"compared\":\"model\",\"step\":1,\"difference\":0.25,\"allowed\":0.5}",
                        "{\"rejected\":[\"precision: fp32 to fp8\"],\"step\":1,\"reason\":\"no parity\"}",
                        "{\"rounding\":\"up\",\"step\":1,\"x\":{\"vanished\":0.25,\"largest\":0.125,\"error\":0.25},"
                                + "\"w\":{\"vanished\":0.25,\"largest\":0.125,\"error\":0.25}}",
                        "{\"rounding\":\"down\",\"step\":1,\"dy\":{\"vanished\":0.0,\"largest\":0.0,\"error\":0.0}}",
                        "{\"kernels\":2,\"step\":1,\"busyShare\":0.75,\"busyNanos\":750,\"spanNanos\":1000}",
                        "{\"kernel\":\"norm.forward_bf16\",\"step\":1,\"launches\":3,\"nanos\":500}",
                        "{\"kernel\":\"loss.fill\",\"step\":1,\"launches\":1,\"nanos\":250}"),
                Files.readAllLines(file));
    }

    @Test
    void flushesEveryLine() throws IOException {
        TrainingListener monitor = open(1);
        monitor.on(Events.step(1, 5.25));
        assertEquals(1, Files.readAllLines(file).size());
        monitor.on(Events.step(2, 5.25));
        assertEquals(2, Files.readAllLines(file).size());
        monitor.on(new RunFailed(2, new IllegalStateException("no more power")));
    }

    @Test
    void writesNonFiniteFiguresAsNullWithTheirNames() throws IOException {
        TrainingListener monitor = open(1);
        monitor.on(Events.step(1, Double.NaN));
        monitor.on(Events.evaluation(1, Double.POSITIVE_INFINITY));
        monitor.on(new RunFinished(1, false));
        assertEquals(
                List.of(
                        step(1, "null").replaceAll("}$", ",\"nonFinite\":{\"loss\":\"NaN\"}}"),
                        "{\"evaluation\":\"validation\",\"step\":1,\"loss\":null,\"tokens\":65536,\"nonFinite\":{\"loss\":\"Infinity\"}}"),
                Files.readAllLines(file));
    }

    @Test
    void resumedRunDoesNotRepeatSteps() throws IOException {
        TrainingListener first = open(1);
        for (long step = 1; step <= 5; step++) {
            first.on(Events.step(step, 5.25));
            if (step == 3) {
                first.on(Events.evaluation(3, 4.5));
                first.on(Events.checkpoint(directory.resolve("three"), 3));
            }
        }
        first.on(Events.evaluation(5, 4.5));
        // Killed in the middle of a line, without a word.
        Files.writeString(file, "{\"step\":6,\"lo", StandardOpenOption.APPEND);
        List<String> before = Files.readAllLines(file);

        TrainingListener second = open(4);
        assertEquals(before.subList(0, 5), Files.readAllLines(file));
        second.on(Events.step(4, 1.5));
        second.on(new RunFinished(4, true));
        List<String> after = Files.readAllLines(file);
        assertEquals(before.subList(0, 5), after.subList(0, 5));
        assertEquals(List.of(step(4, "1.5")), after.subList(5, after.size()));
        assertEquals(List.of(file), list());
    }

    @Test
    void doesNotRewriteAFileWithNothingToDrop() throws IOException {
        TrainingListener first = open(1);
        first.on(Events.step(1, 5.25));
        first.on(new RunFinished(1, false));
        Object key = Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class)
                .fileKey();
        open(2).on(new RunFinished(1, true));
        assertEquals(
                key,
                Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class)
                        .fileKey());
        assertEquals(List.of(step(1, "5.25")), Files.readAllLines(file));
        assertEquals(List.of(file), list());
    }

    @Test
    void completesATruncatedLastLineBeforeAppending() throws IOException {
        Files.writeString(file, step(1, "5.25"));
        TrainingListener monitor = open(2);
        monitor.on(Events.step(2, 1.5));
        monitor.on(new RunFinished(2, true));
        assertEquals(List.of(step(1, "5.25"), step(2, "1.5")), Files.readAllLines(file));
    }

    @Test
    void dropsForeignLinesWithoutAStep() throws IOException {
        Files.writeString(file, "[1]\nnonsense\n{\"loss\":1}\n{\"deep\":{\"step\":1},\"step\":1}\n");
        open(2).on(new RunFinished(1, true));
        assertEquals(List.of("{\"deep\":{\"step\":1},\"step\":1}"), Files.readAllLines(file));
    }

    @Test
    void namesTheFileThatItCannotWrite() {
        TrainingListener monitor = new JsonlFactory().create(new NoOptions());
        Path missing = directory.resolve("missing");
        var failure = assertThrows(StorageException.class, () -> monitor.on(Events.started(missing, 1, 100)));
        assertTrue(
                failure.getMessage().contains(missing.resolve("metrics.jsonl").toString()), failure.getMessage());
        assertThrows(
                StorageException.class,
                () -> monitor.on(Events.step(1, 1)),
                "an event that is not written is not taken");
        monitor.on(new RunFinished(1, false));
        monitor.on(Events.step(2, 1));
        assertFalse(Files.exists(missing));
    }

    @Test
    void reportsADeletedFileUntilItCanBeCreated() throws IOException {
        Path run = Files.createDirectory(directory.resolve("run"));
        TrainingListener monitor = new JsonlFactory().create(new NoOptions());
        monitor.on(Events.started(run, 1, 100));
        monitor.on(Events.step(1, 5.25));
        Files.delete(run.resolve("metrics.jsonl"));
        Files.delete(run);
        assertThrows(StorageException.class, () -> monitor.on(Events.step(2, 5.25)));
        assertThrows(StorageException.class, () -> monitor.on(Events.step(3, 5.25)));
        Files.createDirectory(run);
        monitor.on(Events.step(4, 1.5));
        assertEquals(List.of(step(4, "1.5")), Files.readAllLines(run.resolve("metrics.jsonl")));
        monitor.on(new RunFinished(4, false));
    }

    @Test
    void neverWritesThroughALink() throws IOException {
        Path victim = Files.writeString(directory.resolve("victim"), step(1, "5.25") + "\n" + step(2, "5.0") + "\n");
        String precious = Files.readString(victim);
        Files.createSymbolicLink(file, victim);
        TrainingListener monitor = new JsonlFactory().create(new NoOptions());
        var rejection = assertThrows(StorageException.class, () -> monitor.requireWritable(directory));
        assertEquals(
                "cannot write " + file
                        + ": it is a symbolic link, which Hirundo does not write through; remove it or choose another path",
                rejection.getMessage());
        assertThrows(StorageException.class, () -> monitor.on(Events.started(directory, 2, 100)));
        assertEquals(precious, Files.readString(victim));
    }

    @Test
    void neverWritesWhatAnEarlierAttemptLeftThroughALink() throws IOException {
        Path victim = Files.writeString(directory.resolve("victim"), "precious");
        for (String name : List.of("metrics.jsonl.kept", "metrics.jsonl.part")) {
            Files.createSymbolicLink(directory.resolve(name), victim);
        }
        Files.writeString(file, step(1, "5.25") + "\n" + step(2, "5.0") + "\n");
        open(2).on(new RunFinished(2, false));
        assertEquals(List.of(step(1, "5.25")), Files.readAllLines(file));
        assertEquals("precious", Files.readString(victim));
    }

    @Test
    void rejectsALinkThatReplacesTheFileDuringTheRun() throws IOException {
        Path victim = Files.writeString(directory.resolve("victim"), "precious");
        TrainingListener monitor = open(1);
        monitor.on(Events.step(1, 5.25));
        Files.delete(file);
        Files.createSymbolicLink(file, victim);
        assertThrows(StorageException.class, () -> monitor.on(Events.step(2, 5.0)));
        assertEquals("precious", Files.readString(victim));
    }

    /** Jackson rejects both with other exceptions than those for malformed JSON. */
    @Test
    void dropsALineThatExceedsTheLimitsOfTheParser() throws IOException {
        String deep = "{\"step\":1,\"x\":" + "[".repeat(5000) + "]".repeat(5000) + "}";
        String large = "{\"step\":1" + "0".repeat(5000) + "}";
        Files.writeString(file, step(1, "5.25") + "\n" + deep + "\n" + large + "\n");
        open(2).on(new RunFinished(2, false));
        assertEquals(List.of(step(1, "5.25")), Files.readAllLines(file));
    }

    @ParameterizedTest
    @ValueSource(strings = {"metrics.jsonl", "metrics.jsonl.part"})
    void rejectsFolderInPlaceOfItsFileBeforeTheRun(String name) throws IOException {
        TrainingListener monitor = new JsonlFactory().create(new NoOptions());
        monitor.requireWritable(directory);
        Path inTheWay = Files.createDirectory(directory.resolve(name));
        if (!inTheWay.equals(file)) {
            Files.writeString(file, step(1, "5.25") + "\n");
        }
        var rejection = assertThrows(StorageException.class, () -> monitor.requireWritable(directory));
        String line = "cannot write " + directory.resolve("metrics.jsonl") + ": ";
        assertTrue(rejection.getMessage().startsWith(line), rejection.getMessage());
        assertTrue(
                rejection.getMessage().endsWith(" is a folder, not a regular file; remove it or choose another path"),
                rejection.getMessage());
        assertTrue(Files.isDirectory(inTheWay), "it is somebody's");
        // One that appears later is told in a line too.
        assertThrows(StorageException.class, () -> monitor.on(Events.started(directory, 1, 100)));
    }

    @Test
    void reopensAReplacedFile() throws IOException {
        TrainingListener monitor = open(1);
        monitor.on(Events.step(1, 5.25));
        Files.move(file, directory.resolve("rotated.jsonl"));
        monitor.on(Events.step(2, 5.25));
        assertEquals(List.of(step(2, "5.25")), Files.readAllLines(file));
        Files.move(file, directory.resolve("rotated-2.jsonl"));
        Files.writeString(file, "{\"step\":2}\n");
        monitor.on(Events.step(3, 5.25));
        assertEquals(List.of("{\"step\":2}", step(3, "5.25")), Files.readAllLines(file));
        Files.delete(file);
        Files.createDirectory(file);
        for (long step = 4; step < 6; step++) {
            long next = step;
            var failure = assertThrows(StorageException.class, () -> monitor.on(Events.step(next, 5.25)));
            assertTrue(failure.getMessage().contains("it is a folder"), failure.getMessage());
        }
        Files.delete(file);
        monitor.on(Events.step(6, 5.25));
        assertEquals(List.of(step(6, "5.25")), Files.readAllLines(file));
        monitor.on(new RunFinished(6, false));
    }

    @Test
    void ignoresUnknownEvents() throws IOException {
        TrainingListener monitor = open(1);
        monitor.on(new TrainingEvent() {});
        monitor.on(new RunFinished(0, true));
        assertEquals(List.of(), Files.readAllLines(file));
    }

    private List<Path> list() throws IOException {
        try (var files = Files.list(directory)) {
            return files.toList();
        }
    }
}
