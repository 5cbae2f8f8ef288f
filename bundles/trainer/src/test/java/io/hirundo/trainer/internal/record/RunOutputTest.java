package io.hirundo.trainer.internal.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ExitCode;
import io.hirundo.StorageException;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import io.hirundo.lib.run.section.RunSection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Everything that a run writes, blocked by something else: the run is rejected before it starts and leaves no files. */
class RunOutputTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {".lock", "config.json", "config.json.part", "ended", "rank-0/log.txt", "rank-1/log.txt"})
    void rejectsFolderInPlaceOfFile(String place) throws IOException {
        Path inTheWay = Files.createDirectories(run().resolve(place));
        assertRejected(inTheWay, inTheWay + ": it is a folder, not a regular file; remove it or choose another path");
    }

    @ParameterizedTest
    @ValueSource(strings = {".lock", "config.json", "config.json.part", "rank-0/log.txt"})
    @EnabledOnOs(OS.LINUX)
    void rejectsPipeInPlaceOfFileWithoutOpeningIt(String place) throws Exception {
        Path pipe = run().resolve(place);
        Files.createDirectories(pipe.getParent());
        assertEquals(
                0,
                new ProcessBuilder("mkfifo", pipe.toString())
                        .inheritIO()
                        .start()
                        .waitFor());
        assertRejected(pipe, pipe + ": it is a named pipe, not a regular file; remove it or choose another path");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rank-0", "checkpoints", "model"})
    void rejectsFileInPlaceOfFolder(String place) throws IOException {
        Path inTheWay = Files.writeString(Files.createDirectories(run()).resolve(place), "mine");
        assertRejected(
                inTheWay,
                inTheWay + " is a file, not a folder; remove it or choose another path",
                ": it is a file, not a folder");
    }

    @Test
    void asksListenersBeforeTheRunBegins() {
        var failure = new StorageException("cannot write metrics");
        TrainingListener unwritable = new TrainingListener() {
            @Override
            public void on(TrainingEvent event) {}

            @Override
            public void requireWritable(Path directory) {
                assertEquals(folder, directory);
                throw failure;
            }
        };
        TrainingListener others = event -> {};
        for (var hub : List.of(
                new EventBus(() -> List.of(others, unwritable), List::of),
                new EventBus(List::of, () -> List.of(unwritable)))) {
            assertEquals(failure, assertThrows(StorageException.class, () -> hub.requireWritable(folder)));
        }
        new EventBus(() -> List.of(others), List::of).requireWritable(folder);
    }

    private void assertRejected(Path inTheWay, String... messages) {
        var rejection = assertThrows(
                StorageException.class,
                () -> assertTimeoutPreemptively(Duration.ofMinutes(1), this::begin),
                inTheWay.toString());
        assertEquals(ExitCode.STORAGE, rejection.exitCode());
        assertEquals(1, rejection.getMessage().lines().count());
        assertTrue(rejection.getMessage().startsWith("run.directory: cannot write " + run()), rejection.getMessage());
        assertTrue(List.of(messages).stream().anyMatch(rejection.getMessage()::contains), rejection.getMessage());
        assertTrue(Files.exists(inTheWay), "removed a file of the user");
        assertFalse(Files.isRegularFile(run().resolve("config.json")), "a run has started");
    }

    private void begin() {
        try (var directory = RunDirectory.open(section(), false)) {
            new RunOutput(directory, true, true, true).requireWritable(List.of(0, 1));
        }
    }

    private Path run() {
        return folder.resolve("runs").resolve("one");
    }

    private RunSection section() {
        return new RunSection("one", folder.resolve("runs").toString());
    }
}
