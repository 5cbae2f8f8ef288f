package io.hirundo.checkpointdcp.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hirundo.BusyException;
import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.ExitCode;
import io.hirundo.StorageException;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.fixture.CommandOutput;
import io.hirundo.checkpointdcp.internal.fixture.States;
import io.hirundo.checkpointdcp.internal.fixture.ThreadWorld;
import io.hirundo.command.Command;
import io.hirundo.testkit.CommandContract;
import io.hirundo.testkit.CtrlC;
import io.hirundo.testkit.HirundoContract;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@HirundoContract
@Isolated("sets System.out")
class CheckpointCommandsTest implements CommandContract {
    private static final Map<String, Object> VALUES = Map.of(
            "layout", Map.of("data", 2, "tensor", 1), "seed", 7, "strategies", Map.of("precision", "fp32 of test 1"));

    @TempDir
    Path run;

    private Path checkpoints;

    private final CtrlC interruption = new CtrlC();

    @BeforeEach
    void save() throws IOException {
        Files.writeString(run.resolve("config.json"), "{}");
        checkpoints = run.resolve("checkpoints");
        try (var session = States.open(checkpoints, ThreadWorld.alone(), 9, new DiskOperations())) {
            for (int step = 100; step <= 400; step += 100) {
                session.save(new TrainingState(step, States.shards(step), VALUES))
                        .awaitDurable();
            }
        }
    }

    @Override
    public Command command() {
        return new VerifyCommand(interruption);
    }

    @Override
    public List<List<String>> workingArguments() {
        return List.of(List.of(run.toString()), List.of(file(100, "").toString()));
    }

    @Override
    public List<List<String>> failingArguments() {
        return List.of(List.of(run.resolve("nowhere").toString()));
    }

    private Path file(long step, String name) {
        return checkpoints.resolve("step-%08d".formatted(step)).resolve(name);
    }

    /** The first byte of the data, which is that of tensor model/a. */
    private void flip(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[0] ^= 1;
        Files.write(file, bytes);
    }

    private List<String> left() throws IOException {
        try (Stream<Path> entries = Files.list(checkpoints)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void listsEverythingWithACheckpointName() throws Exception {
        Files.delete(file(200, "rank-00000.data"));
        for (Path named : List.of(run, checkpoints)) {
            List<String> lines = CommandOutput.lines(new ListCommand(null, new CtrlC()), named);
            assertEquals(5, lines.size());
            assertTrue(lines.get(1).matches("step-00000400 +\\d{4}-.* \\d+ s +\\S+ KiB +data 2 +whole"), lines.get(1));
            assertTrue(lines.get(3).contains("DAMAGED: " + file(200, "rank-00000.data") + " is missing"), lines.get(3));
        }
        assertEquals(
                2,
                CommandOutput.lines(new ListCommand(null, new CtrlC()), file(300, ""))
                        .size());
    }

    @Test
    void listAsJson() throws Exception {
        Files.delete(file(400, "manifest.json"));
        List<String> lines = CommandOutput.lines(new ListCommand(null, new CtrlC()), run, "--json");
        assertEquals(4, lines.size());
        JsonNode damaged = new JsonMapper().readTree(lines.get(0));
        assertEquals(400, damaged.get("step").asLong());
        assertFalse(damaged.get("whole").asBoolean());
        assertTrue(damaged.get("problem").asText().endsWith("manifest.json is missing"), damaged::toString);
        JsonNode whole = new JsonMapper().readTree(lines.get(1));
        assertTrue(whole.get("whole").asBoolean());
        assertEquals(2, whole.get("layout").get("data").asInt());
        assertEquals(
                Files.size(file(300, "manifest.json")) + Files.size(file(300, "rank-00000.data")),
                whole.get("bytes").asLong());
    }

    @Test
    void reportsAMissingCheckpoint() throws Exception {
        Path empty = Files.createDirectory(run.resolve("empty"));
        assertEquals(
                List.of("There is no checkpoint in " + empty + "."),
                CommandOutput.lines(new ListCommand(null, new CtrlC()), empty));
        assertTrue(new CommandOutput(new VerifyCommand(interruption), empty)
                .message(CheckpointException.class)
                .contains("no checkpoint in"));
        var failure = new CommandOutput(new ListCommand(null, new CtrlC()), run.resolve("nowhere"))
                .message(CheckpointException.class);
        assertTrue(failure.contains("there is no folder"), failure);
    }

    @Test
    void verifyNamesFileAndTensorOfEveryDamagedByte() throws Exception {
        var good = new CommandOutput(new VerifyCommand(interruption), run);
        assertEquals(ExitCode.OK, good.exitCode());
        assertEquals(
                4, good.lines.stream().filter(line -> line.contains("  good, ")).count(), good.lines::toString);
        flip(file(200, "rank-00000.data"));
        Files.delete(file(300, "manifest.json"));
        var damaged = new CommandOutput(new VerifyCommand(interruption), run);
        String message = damaged.message(CheckpointException.class);
        assertTrue(
                message.startsWith("2 of 4 in " + checkpoints
                        + " cannot be loaded: step-00000300, step-00000200, the first because "
                        + file(300, "manifest.json") + " is missing"),
                message);
        assertTrue(message.endsWith("; resume from another checkpoint, or save the step again"), message);
        assertTrue(
                damaged.lines.stream()
                        .anyMatch(line -> line.startsWith("step-00000200  DAMAGED: " + file(200, "rank-00000.data"))
                                && line.endsWith("in tensor 'model/a'")),
                damaged.lines::toString);
        assertEquals(ExitCode.OK, new CommandOutput(new VerifyCommand(interruption), file(100, "")).exitCode());
    }

    @Test
    void verifyStopsOnInterruption() {
        interruption.press();
        assertEquals(ExitCode.INTERRUPTED, new CommandOutput(new VerifyCommand(interruption), run).exitCode());
    }

    @Test
    void showDescribesTheSavedState() throws Exception {
        Files.delete(file(400, "manifest.json"));
        String text = String.join("\n", CommandOutput.lines(new ShowCommand(), run, "--pieces"));
        for (String part : List.of(
                "step-00000300",
                "data 2",
                "test 1, format 1",
                "fp32 of test 1",
                "model/b",
                "BF16",
                "[300, 7]",
                "rank-00000.data",
                "[300, 7] at [0, 0] in rank-00000.data, 4200 bytes from")) {
            assertTrue(text.contains(part), () -> part + " is missing in\n" + text);
        }
        String table = text.replace(run.toString(), "");
        assertTrue(table.lines().allMatch(line -> line.length() <= 80), table);
        JsonNode manifest = new JsonMapper()
                .readTree(CommandOutput.lines(new ShowCommand(), file(100, ""), "--json")
                        .getFirst());
        assertEquals(100, manifest.get("step").asInt());
        assertEquals(7, manifest.get("values").get("seed").asInt());
    }

    @Test
    void pruneKeepsTheNewestAndRoundSteps() throws Exception {
        Files.createDirectory(checkpoints.resolve("step-00000500.tmp-12ab"));
        Files.delete(file(200, "manifest.json"));
        List<String> before = left();
        var dry = new CommandOutput(
                new PruneCommand(interruption), run, "--keep-last", 1, "--keep-every", 300, "--dry-run");
        assertEquals(ExitCode.OK, dry.exitCode());
        assertEquals(before, left());
        var done = new CommandOutput(new PruneCommand(interruption), run, "--keep-last", 1, "--keep-every", 300);
        assertEquals(ExitCode.OK, done.exitCode());
        assertEquals(List.of("latest", "step-00000200", "step-00000300", "step-00000400"), left());
        assertEquals(
                dry.lines.stream()
                        .map(line -> line.replace("would be deleted", "deleted"))
                        .toList(),
                done.lines);
        assertEquals(
                List.of("step-00000100", "step-00000500.tmp-12ab", "step-00000200"),
                done.lines.stream().map(line -> line.split(" ")[0]).toList());
    }

    @Test
    void pruneDeletesNothingIfTheNewestIsDamaged() throws Exception {
        flip(file(400, "rank-00000.data"));
        List<String> before = left();
        String message = new CommandOutput(new PruneCommand(interruption), run, "--keep-last", 1)
                .message(CheckpointException.class);
        assertTrue(message.contains("in tensor 'model/a'; nothing was deleted"), message);
        assertEquals(before, left());
    }

    @Test
    void rejectsPruningARunInProgress() throws Exception {
        List<String> before = left();
        try (var channel = FileChannel.open(run.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var _ = channel.lock()) {
            String message = new CommandOutput(new PruneCommand(interruption), run, "--keep-last", 1)
                    .message(BusyException.class);
            assertTrue(message.contains("the run in " + run + " is in progress"), message);
        }
        assertEquals(before, left());
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void pruneRejectsLockFileThatIsNamedPipeOrLink() throws Exception {
        List<String> before = left();
        Path lock = run.resolve(".lock");
        assertEquals(0, new ProcessBuilder("mkfifo", lock.toString()).start().waitFor());
        String pipe = new CommandOutput(new PruneCommand(interruption), run, "--keep-last", 1)
                .message(StorageException.class);
        assertEquals(
                "cannot write " + lock + ": it is a named pipe, not a regular file; remove it or choose another path",
                pipe);
        Files.delete(lock);
        Path target = run.resolve("elsewhere");
        Files.createSymbolicLink(lock, target);
        String link = new CommandOutput(new PruneCommand(interruption), run, "--keep-last", 1)
                .message(StorageException.class);
        assertTrue(link.contains(lock + ": it is a symbolic link"), link);
        assertTrue(Files.notExists(target));
        assertEquals(before, left());
    }

    @Test
    void pruneRejectsInvalidArguments() {
        new CommandOutput(new PruneCommand(interruption), run, "--keep-last", 0).message(ConfigurationException.class);
        new CommandOutput(new PruneCommand(interruption), file(100, ""), "--keep-last", 1)
                .message(ConfigurationException.class);
    }
}
