package io.hirundo.trainer.internal.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.BusyException;
import io.hirundo.ConfigurationException;
import io.hirundo.StorageException;
import io.hirundo.lib.run.section.RunSection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunDirectoryTest {
    @TempDir
    private Path folder;

    @Test
    void removesTheFolderOfARunThatNeverStarted() {
        RunDirectory.open(section(), false).close();
        assertFalse(Files.exists(folder.resolve("runs").resolve("one")));
    }

    @Test
    void keepsAFolderWithOtherFiles() throws IOException {
        Path notes =
                Files.createDirectories(folder.resolve("runs").resolve("one")).resolve("notes.txt");
        Files.writeString(notes, "mine");
        RunDirectory.open(section(), false).close();
        assertEquals("mine", Files.readString(notes));
    }

    @Test
    void keepsTheConfiguration() throws IOException {
        try (var directory = RunDirectory.open(section(), false)) {
            directory.writeConfiguration("{}");
        }
        assertEquals(
                "{}", Files.readString(folder.resolve("runs").resolve("one").resolve("config.json")));
    }

    @Test
    void rejectsASecondRunOfTheSameName() {
        try (var directory = RunDirectory.open(section(), false)) {
            directory.writeConfiguration("{}");
        }
        var failure = assertThrows(ConfigurationException.class, () -> RunDirectory.open(section(), false));
        assertTrue(failure.getMessage().contains("--resume"), failure.getMessage());
        RunDirectory.open(section(), true).close();
    }

    @Test
    void rejectsResumeWithoutARun() {
        var failure = assertThrows(ConfigurationException.class, () -> RunDirectory.open(section(), true));
        assertTrue(failure.getMessage().contains("no run in"), failure.getMessage());
        assertFalse(Files.exists(folder.resolve("runs")));
    }

    @Test
    void rejectsASecondActiveRun() {
        try (var directory = RunDirectory.open(section(), false)) {
            directory.writeConfiguration("{}");
            assertThrows(BusyException.class, () -> RunDirectory.open(section(), true));
        }
        RunDirectory.open(section(), true).close();
    }

    @Test
    void locksTheFolderWhileOthersCreateAndRemoveIt() throws Exception {
        var holders = new AtomicInteger();
        Callable<Integer> runs = () -> {
            int held = 0;
            for (int i = 0; i < 1500; i++) {
                try (var directory = RunDirectory.open(section(), false)) {
                    assertEquals(1, holders.incrementAndGet(), directory + " is held twice");
                    assertTrue(Files.isDirectory(directory.path()));
                    holders.decrementAndGet();
                    held++;
                } catch (BusyException otherRun) {
                    Thread.onSpinWait();
                }
            }
            return held;
        };
        try (var threads = Executors.newFixedThreadPool(4)) {
            for (var done : threads.invokeAll(Collections.nCopies(4, runs))) {
                assertTrue(done.get() > 0);
            }
        }
        assertFalse(Files.exists(folder.resolve("runs").resolve("one")));
    }

    @Test
    void namesAFileInPlaceOfTheFolder() throws IOException {
        Files.writeString(folder.resolve("runs"), "a file");
        var failure = assertThrows(StorageException.class, () -> RunDirectory.open(section(), false));
        Path runs = folder.resolve("runs");
        assertEquals(
                "run.directory: " + runs.resolve("one") + " cannot be created: " + runs
                        + " is not a folder; give a folder that can be written to",
                failure.getMessage());
    }

    /** For the parent folder and for the run's folder. */
    @ParameterizedTest
    @ValueSource(strings = {"runs", "runs/one"})
    void namesALinkToAMissingTarget(String place) throws IOException {
        Path link = folder.resolve(place);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, folder.resolve("nowhere"));
        var failure = assertThrows(StorageException.class, () -> RunDirectory.open(section(), false));
        assertTrue(
                failure.getMessage().contains(" cannot be created: " + link + " is a link to a missing target;"),
                failure.getMessage());
    }

    @Test
    void rejectsALinkInPlaceOfTheLock() throws IOException {
        Path target = folder.resolve("elsewhere");
        Path lock = Files.createSymbolicLink(
                Files.createDirectories(folder.resolve("runs/one")).resolve(".lock"), target);
        var failure = assertThrows(StorageException.class, () -> RunDirectory.open(section(), false));
        assertEquals(
                "run.directory: cannot write " + lock
                        + ": it is a symbolic link, which Hirundo does not write through; remove it or choose another path",
                failure.getMessage());
        assertTrue(Files.notExists(target));
    }

    @Test
    void acceptsALinkToAFolder() throws IOException {
        Path elsewhere = Files.createDirectories(folder.resolve("elsewhere"));
        Files.createSymbolicLink(folder.resolve("runs"), elsewhere);
        try (var directory = RunDirectory.open(section(), false)) {
            directory.writeConfiguration("{}");
        }
        assertTrue(Files.exists(elsewhere.resolve("one").resolve("config.json")));
    }

    /** In /proc the system reports a missing folder if nothing can be created. */
    @ParameterizedTest
    @ValueSource(strings = {"/proc", "/proc/foo"})
    @EnabledOnOs(OS.LINUX)
    void namesAPlaceThatIsNotWritable(String runs) {
        var failure = assertThrows(StorageException.class, () -> RunDirectory.open(new RunSection("one", runs), false));
        assertTrue(
                failure.getMessage().startsWith("run.directory: " + runs + "/one cannot be created: "),
                failure.getMessage());
    }

    private RunSection section() {
        return new RunSection("one", folder.resolve("runs").toString());
    }
}
