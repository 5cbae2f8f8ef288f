package io.hirundo.itests.failures;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.plugin.PluginJar;
import io.hirundo.itests.program.Metrics;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.TinyTraining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A training that a signal ends leaves its state, and no files that only a running training needs. */
class SignalsIT {
    private static final int VOCABULARY = 256;

    @TempDir
    private Path folder;

    private Program program;
    private Path temporary;

    @BeforeEach
    void prepare() throws IOException {
        // With slow steps: while a test looks at files and starts other processes, a training at full speed would only
        // take CPU time. Signals
        // at full speed come in RandomSignalsIT.
        program = Program.copied(folder, "hirundo");
        PluginJar.slowSteps(program);
        temporary = Files.createDirectory(folder.resolve("tmp"));
    }

    @Test
    void lostTerminalEndsATrainingLikeSigtermAndItsFolderIsItsUsersAloneFromBeginToEnd() throws Exception {
        Program.Running training = startTraining(List.of("bash", "-c", "umask 000; exec \"$0\" \"$@\""));
        Path socket = run().resolve("control.sock");
        Set<String> seen = new HashSet<>();
        training.awaitUntil(() -> {
            for (Path each : list(temporary)) {
                seen.add(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)) + " "
                        + Files.getAttribute(each, "unix:ino"));
            }
            return Files.exists(socket) && Metrics.of(run()).lastStep() > 0;
        });
        training.signal("HUP");
        training.signal("HUP");
        Program.Result ended = training.await();

        assertEquals(130, ended.exitCode(), ended::toString);
        assertTrue(Files.exists(run().resolve("checkpoints").resolve("latest")), ended::toString);
        assertFalse(Files.exists(socket), "the socket stayed");
        assertEquals(List.of(), list(temporary));
        assertEquals(1, seen.size(), "made again, or with other permissions: " + seen);
        assertTrue(seen.iterator().next().startsWith("rwx------ "), seen::toString);
    }

    @Test
    @EnabledIfSystemProperty(
            named = "hirundo.zoo",
            matches = "all",
            disabledReason = "InterruptsTest ignores SIGHUP, too: mvn verify -P faults")
    void trainingUnderNohupOutlivesItsTerminal() throws Exception {
        Program.Running training = startTraining(List.of("nohup"));
        awaitSteps(training, 1);
        training.signal("HUP");
        awaitSteps(training, Metrics.of(run()).lastStep() + 3);
        training.signal("TERM");
        Program.Result ended = training.await();

        assertEquals(130, ended.exitCode(), ended::toString);
        assertTrue(Files.exists(run().resolve("checkpoints").resolve("latest")), ended::toString);
    }

    @Test
    void nextStartRemovesWhatAKilledTrainingLeft() throws Exception {
        // The path is so long that the socket is created in the temporary folder.
        Path runs = folder.resolve("r".repeat(100));
        Path deep = runs.resolve("synthetic");
        Program.Running killed = startTraining(List.of(), "run.directory=" + runs);
        killed.awaitUntil(() -> Files.isSymbolicLink(deep.resolve("control.sock")));
        Path left = list(temporary).getFirst();
        assertTrue(Files.readSymbolicLink(deep.resolve("control.sock")).startsWith(left));
        killed.signal("KILL");
        killed.await();
        Program.Running living = startTraining(List.of());
        awaitSteps(living, 1);
        living.awaitUntil(() -> !Files.exists(left));

        List<Path> ofLiving = list(temporary);
        assertEquals(1, ofLiving.size(), ofLiving::toString);
        assertEquals(
                0,
                program.start(Map.of("TMPDIR", temporary.toString()), "plugins")
                        .await()
                        .exitCode());
        assertEquals(ofLiving, list(temporary));
        living.signal("TERM");
        assertEquals(130, living.await().exitCode());
    }

    private Path run() {
        return folder.resolve("runs").resolve("synthetic");
    }

    private Program.Running startTraining(List<String> starter, String... assignments) throws IOException {
        List<String> all = new ArrayList<>(
                List.of("training.steps=10000000", "checkpoint.strategy=sync", "checkpoint.atEnd=true"));
        all.addAll(List.of(assignments));
        Map<String, String> environment = Map.of("TMPDIR", temporary.toString());
        return program.startWith(
                starter, environment, TinyTraining.arguments(VOCABULARY, all).toArray(String[]::new));
    }

    private void awaitSteps(Program.Running training, long step) throws Exception {
        training.awaitUntil(() -> Metrics.of(run()).lastStep() >= step);
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }
}
