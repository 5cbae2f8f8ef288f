package io.hirundo.itests.failures;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.damage.FileFaults;
import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Metrics;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.TinyTraining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk that is full, folders that are read-only or vanish while a run writes to them: the documented exit code, the last good
 * checkpoint as it was, and a resumed run with bitwise the losses of one that nothing happened to.
 */
class DiskFaultsIT {
    private static final int STEPS = 20;
    private static final int EVERY = 5;
    private static final int CHECKPOINT = 74;

    /** A checkpoint takes some 1.4 MB. */
    private static final int VOCABULARY = 3_600;

    private static final String ROOM_FOR_NONE = "1000k";

    private static final String ROOM_FOR_ONE = "2300k";
    private static final String ROOM_FOR_ALL = "50m";

    @TempDir
    private static Path shared;

    private static List<Double> undisturbed;

    @TempDir
    private Path folder;

    private Path mounted;

    @BeforeAll
    static void train() throws Exception {
        Program.Result result = InProcess.command(arguments(shared.resolve("runs"), "training.steps=" + STEPS));
        assertEquals(0, result.exitCode(), result::toString);
        undisturbed = Metrics.of(shared.resolve("runs/synthetic")).losses();
        assertEquals(STEPS, undisturbed.size());
    }

    @AfterEach
    void unmount() throws Exception {
        if (mounted != null) {
            FileFaults.run("umount", mounted.toString());
        }
    }

    @Test
    void keepsTheLastCheckpointWhenTheDiskIsFull() throws Exception {
        mount(ROOM_FOR_ONE);
        Program.Result ended = start(folder, mounted, "training.steps=" + STEPS).await();
        assertEnded(ended, "checkpoint of step " + 2 * EVERY);
        assertEquals(List.of("step-%08d".formatted(EVERY)), checkpoints(mounted));

        FileFaults.run("mount", "-o", "remount,size=" + ROOM_FOR_ALL, mounted.toString());
        assertResumesBitwise(mounted);
    }

    @Test
    @EnabledIfSystemProperty(
            named = "hirundo.zoo",
            matches = "all",
            disabledReason = "takes longer: mvn verify -P faults")
    void leavesNothingHalfWrittenWhenTheDiskIsFullBeforeTheFirstCheckpoint() throws Exception {
        mount(ROOM_FOR_NONE);
        Program.Result ended = start(folder, mounted, "training.steps=" + STEPS).await();
        assertEnded(ended, "checkpoint of step " + EVERY);
        assertEquals(List.of(), checkpoints(mounted));
    }

    /** Needs no mount: no file of the process may become longer. */
    @Test
    void endsWithItsCodeWhenFilesMayNotGrow() throws Exception {
        boolean isAll = System.getProperty("hirundo.zoo", "core").equals("all");
        Assumptions.assumeTrue(
                isAll || !canMount(), "skipped: a full disk is tested instead; both: mvn verify -P faults");
        Path runs = folder.resolve("runs");
        Program.Running running = endless(runs);
        running.awaitUntil(() -> Files.exists(runs.resolve("synthetic/checkpoints/latest")));
        // While it stands still its metrics do not grow up to the limit, which its next checkpoint is to meet.
        running.signal("STOP");
        long limit = Files.size(runs.resolve("synthetic/metrics.jsonl")) + 100_000;
        assertTrue(limit < 1_000_000, "the metrics are as large as a checkpoint already");
        FileFaults.run(
                "prlimit",
                "--fsize=" + limit,
                "--pid",
                String.valueOf(running.process().pid()));
        running.signal("CONT");
        assertEnded(running.await(), "checkpoint of step ");
        List<String> left = checkpoints(runs);
        assertTrue(left.stream().allMatch(name -> name.matches("step-\\d{8}")), "half-written: " + left);
        assertResumesBitwise(runs);
    }

    @Test
    @EnabledIfSystemProperty(
            named = "hirundo.zoo",
            matches = "all",
            disabledReason = "takes longer: mvn verify -P faults")
    void keepsTheLastCheckpointWhenItsFolderBecomesReadOnly() throws Exception {
        Path runs = folder.resolve("runs");
        Program.Running running = endless(runs);
        Path checkpoints = runs.resolve("synthetic/checkpoints");
        running.awaitUntil(() -> Files.exists(checkpoints.resolve("latest")));
        boolean immutable = protect(checkpoints);
        try {
            if (!immutable) {
                running.signal("TERM");
            }
            Program.Result ended = running.await();
            Assumptions.assumeTrue(immutable, "skipped: this file system lets root write everywhere (no chattr +i)");
            assertEnded(ended, "checkpoint of step ");
        } finally {
            unprotect(checkpoints);
        }
        assertResumesBitwise(runs);
    }

    @Test
    @EnabledIfSystemProperty(
            named = "hirundo.zoo",
            matches = "all",
            disabledReason = "takes longer: mvn verify -P faults")
    void saysThatTheFolderOfItsCheckpointsIsGone() throws Exception {
        Path runs = folder.resolve("runs");
        Program.Running running = endless(runs);
        Path checkpoints = runs.resolve("synthetic/checkpoints");
        running.awaitUntil(() -> Files.exists(checkpoints.resolve("latest")));
        // By one rename: what is written at this moment is whole or not there.
        Path away = Files.move(checkpoints, folder.resolve("away"));
        Program.Result ended = running.await();
        assertEnded(ended, "checkpoint of step ");

        FileFaults.delete(checkpoints);
        Files.move(away, checkpoints);
        assertResumesBitwise(runs);
    }

    /** One that saves every so many steps, and ends by a failure only. */
    private Program.Running endless(Path runs) throws IOException {
        return start(folder, runs, "training.steps=100000000");
    }

    private static Program.Running start(Path folder, Path runs, String... more) throws IOException {
        return Program.installed(folder).start(Map.of(), arguments(runs, more));
    }

    private static String[] arguments(Path runs, String... more) {
        List<String> assignments = new ArrayList<>(List.of(
                "run.directory=" + runs,
                "checkpoint.strategy={name: sync, options: {keepLast: 1000000}}",
                "checkpoint.everySteps=" + EVERY,
                "monitors=[jsonl]"));
        assignments.addAll(List.of(more));
        return TinyTraining.arguments(VOCABULARY, assignments).toArray(String[]::new);
    }

    private static void assertEnded(Program.Result ended, String word) {
        assertEquals(CHECKPOINT, ended.exitCode(), ended::toString);
        List<String> lines =
                ended.err().lines().filter(line -> line.startsWith("hirundo: ")).toList();
        assertEquals(1, lines.size(), ended::toString);
        assertTrue(lines.getFirst().contains(word), ended::toString);
        assertFalse(ended.err().contains("\tat "), ended::toString);
    }

    /** To the steps of the undisturbed run, or, where it is that far already, one more. */
    private void assertResumesBitwise(Path runs) throws Exception {
        Path run = runs.resolve("synthetic");
        long newest = Long.parseLong(checkpoints(runs).getLast().replaceAll("\\D", ""));
        long steps = Math.max(STEPS, newest + 1);
        Program.Result resumed = InProcess.command(
                "train",
                run.resolve("config.json").toString(),
                "--resume",
                "--lr-schedule",
                "stretch",
                "--set",
                "training.steps=" + steps,
                "--set",
                "run.directory=" + runs);
        assertEquals(0, resumed.exitCode(), resumed::toString);
        List<Double> losses = Metrics.of(run).losses();
        assertEquals(steps, losses.size());
        assertEquals(undisturbed, losses.subList(0, STEPS), "losses");
    }

    private static List<String> checkpoints(Path runs) throws IOException {
        Path checkpoints = runs.resolve("synthetic/checkpoints");
        if (!Files.exists(checkpoints)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(checkpoints)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("step-\\d+.*"))
                    .sorted()
                    .toList();
        }
    }

    private boolean canMount() throws Exception {
        Path point = Files.createDirectory(folder.resolve("probe"));
        try {
            FileFaults.run("mount", "-t", "tmpfs", "-o", "size=" + ROOM_FOR_NONE, "tmpfs", point.toString());
        } catch (IOException rejected) {
            return false;
        }
        FileFaults.run("umount", point.toString());
        return true;
    }

    private void mount(String size) throws Exception {
        Path point = Files.createDirectory(folder.resolve("disk"));
        try {
            FileFaults.run("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", point.toString());
        } catch (IOException rejected) {
            Assumptions.abort("skipped: a small disk cannot be mounted here ("
                    + rejected.getMessage().strip() + ")");
        }
        mounted = point;
    }

    /** Whether nothing can be made in the folder now. */
    private static boolean protect(Path folder) throws Exception {
        folder.toFile().setWritable(false);
        if (!Files.isWritable(folder)) {
            return true;
        }
        try {
            FileFaults.run("chattr", "+i", folder.toString());
            return true;
        } catch (IOException unsupported) {
            return false;
        }
    }

    private static void unprotect(Path folder) throws Exception {
        try {
            FileFaults.run("chattr", "-i", folder.toString());
        } catch (IOException unsupported) {
            // Then it was not needed either.
            assertTrue(Files.exists(folder));
        }
        assertTrue(folder.toFile().setWritable(true));
    }
}
