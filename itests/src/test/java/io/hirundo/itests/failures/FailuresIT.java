package io.hirundo.itests.failures;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.SampleTexts;
import io.hirundo.itests.program.TinyTraining;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A command that fails while it runs prints one clear line, has its exit code, keeps earlier files intact, and leaves no partial ones. */
class FailuresIT {
    private static final int ENDLESS = 10_000_000;

    /** 1.6 MB of state: three times as long as the limit that stands for a full disk, which the metrics do not reach. */
    private static final int VOCABULARY = 4096;

    private static final int DISK_BYTES = 500_000;

    /** What the program prints even if nothing failed: Java of the Vector API, Hirundo after Ctrl-C. */
    private static final Pattern NOTICE =
            Pattern.compile("|WARNING: Using incubator modules.*|hirundo: ending cleanly.*");

    @TempDir
    private Path folder;

    private Program program;

    @BeforeEach
    void prepare() {
        program = Program.installed(folder);
    }

    @Test
    void aRunThatDiverges() throws Exception {
        Program.Result result =
                inThisProcess("learningRate.options.peak=1e30", "checkpoint.strategy=sync", "checkpoint.atEnd=true");

        assertFailed(72, List.of("of step 2 is NaN", "no good checkpoint", "lower learning rate"), result);
        assertFalse(Files.exists(run().resolve("checkpoints")), "weights that are not numbers are not saved");
    }

    @Test
    void noRoomForTheDataset() throws Exception {
        Path texts = SampleTexts.write(folder);
        String tokenizer = folder.resolve("tokenizer").toString();
        assertEquals(
                0,
                InProcess.command(
                                "data",
                                "train-tokenizer",
                                "--data",
                                texts.toString(),
                                "--out",
                                tokenizer,
                                "--vocab",
                                "300")
                        .exitCode());
        repeatTexts(texts, 10);
        Path out = Files.createDirectory(folder.resolve("datasets"));
        Program.Running running = program.start(
                Map.of(),
                "data",
                "tokenize",
                "--tokenizer",
                "tokenizer",
                "--data",
                texts.toString(),
                "--out",
                "datasets/all");
        running.awaitUntil(() -> !list(out).isEmpty());
        limitFiles(running, 100_000);

        assertFailed(73, List.of("datasets/all", "make room"), running.await());
        assertEquals(List.of(), list(out));
    }

    /** Of the strategy that saves while the training continues; {@code DiskFaultsIT} has the other. */
    @Test
    void noRoomForACheckpoint() throws Exception {
        Program.Running running =
                start("checkpoint.strategy=dcp-async", "checkpoint.everySteps=20", "training.steps=" + ENDLESS);
        Path checkpoints = run().resolve("checkpoints");
        running.awaitUntil(() -> Files.exists(checkpoints.resolve("latest")));
        limitFiles(running, DISK_BYTES);
        Program.Result ended = running.await();

        assertFailed(74, List.of("checkpoint of step", checkpoints.toString(), "earlier ones are untouched"), ended);
        List<Path> left = list(checkpoints);
        assertEquals("latest", left.getFirst().getFileName().toString());
        assertTrue(
                left.stream()
                        .skip(1)
                        .allMatch(path -> path.getFileName().toString().matches("step-\\d+")),
                left::toString);
        long step =
                Long.parseLong(Files.readString(checkpoints.resolve("latest")).replaceAll("\\D", ""));

        Program.Result resumed = InProcess.command(
                "train",
                run().resolve("config.json").toString(),
                "--resume",
                "--lr-schedule",
                "stretch",
                "--set",
                runs(),
                "--set",
                "training.steps=" + (step + 1));
        assertEquals(0, resumed.exitCode(), resumed::toString);
        assertTrue(resumed.out().contains("steps " + (step + 1) + " to " + (step + 1)), resumed::toString);
    }

    @Test
    void whatCannotBeSavedAfterCtrlCHasNotEndedCleanly() throws Exception {
        Program.Running running = start(
                "checkpoint.strategy=sync",
                "checkpoint.atEnd=true",
                "training.steps=" + ENDLESS,
                "model.format=huggingface",
                "model.export=true");
        Path metrics = run().resolve("metrics.jsonl");
        running.awaitUntil(() -> Files.exists(metrics) && Files.size(metrics) > 0);
        Files.writeString(run().resolve("checkpoints"), "a file in the way");
        running.signal("INT");

        Program.Result ended = running.await();
        assertTrue(ended.err().contains("ending cleanly"), ended::toString);
        assertFailed(
                74, List.of("checkpoint of step", run().resolve("checkpoints").toString()), ended);
        assertTrue(
                Files.exists(run().resolve("model").resolve("model.safetensors")), "the model can be written, and is");
    }

    @ParameterizedTest
    @ValueSource(strings = {"metrics.jsonl", "rank-0/log.txt"})
    void rejectsRunWhoseOutputIsAFolder(String place) throws Exception {
        Path inTheWay = Files.createDirectories(run().resolve(place));
        Program.Result result = inThisProcess();
        assertFailed(
                73,
                List.of("cannot write " + inTheWay + ": it is a folder", "remove it or choose another path"),
                result);
        assertFalse(Files.exists(run().resolve("config.json")), "no run has begun");
    }

    @Test
    void continuesWithoutMetricsThatVanishAndSaysSoOnceAndAtTheEnd() throws Exception {
        Program.Running running = start("training.steps=" + ENDLESS);
        Path metrics = run().resolve("metrics.jsonl");
        running.awaitUntil(() -> Files.exists(metrics) && Files.size(metrics) > 0);
        replaceByFolder(metrics);
        running.awaitUntil(() -> Files.readString(running.err()).contains("is not reported again"));
        running.signal("INT");

        Program.Result ended = running.await();
        assertEquals(73, ended.exitCode(), ended::toString);
        List<String> said = ended.err()
                .lines()
                .filter(line -> !NOTICE.matcher(line).matches())
                .toList();
        assertEquals(2, said.size(), ended::toString);
        assertTrue(
                said.get(1).startsWith("hirundo: the training has ended, but its files are incomplete: "),
                ended::toString);
    }

    /** Puts a folder in the place of a file, again and again while the training recreates the file. */
    private static void replaceByFolder(Path file) throws IOException {
        for (boolean done = false; !done; ) {
            Files.deleteIfExists(file);
            try {
                Files.createDirectory(file);
                done = true;
            } catch (FileAlreadyExistsException begunAgain) {
                Thread.onSpinWait();
            }
        }
    }

    private Path run() {
        return folder.resolve("runs").resolve("synthetic");
    }

    private String runs() {
        return "run.directory=" + folder.resolve("runs");
    }

    private Program.Result inThisProcess(String... assignments) throws Exception {
        List<String> all =
                Stream.concat(Stream.of(runs()), Stream.of(assignments)).toList();
        return InProcess.command(TinyTraining.arguments(VOCABULARY, all).toArray(String[]::new));
    }

    private Program.Running start(String... assignments) throws IOException {
        return program.start(
                Map.of(),
                TinyTraining.arguments(VOCABULARY, List.of(assignments)).toArray(String[]::new));
    }

    private static void assertFailed(int exitCode, List<String> words, Program.Result result) {
        assertEquals(exitCode, result.exitCode(), result::toString);
        List<String> said = result.err()
                .lines()
                .filter(line -> !NOTICE.matcher(line).matches())
                .toList();
        assertEquals(1, said.size(), result::toString);
        assertTrue(said.getFirst().startsWith("hirundo: "), result::toString);
        words.forEach(word -> assertTrue(said.getFirst().contains(word), result::toString));
    }

    /** Simulates a full disk: limits the size of the files that a running process writes. */
    private static void limitFiles(Program.Running running, long bytes) throws Exception {
        Process limit = new ProcessBuilder(
                        "prlimit",
                        "--fsize=" + bytes,
                        "--pid",
                        String.valueOf(running.process().pid()))
                .redirectErrorStream(true)
                .start();
        String said = new String(limit.getInputStream().readAllBytes());
        assertEquals(0, limit.waitFor(), said);
    }

    private static void repeatTexts(Path texts, int times) throws IOException {
        for (Path text : list(texts)) {
            Files.writeString(text, Files.readString(text).repeat(times));
        }
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }
}
