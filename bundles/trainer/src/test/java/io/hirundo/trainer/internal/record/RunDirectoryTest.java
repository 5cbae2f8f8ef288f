package io.hirundo.trainer.internal.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.BusyException;
import io.hirundo.ConfigurationException;
import io.hirundo.StorageException;
import io.hirundo.trainer.internal.config.RunSection;
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
  @TempDir private Path folder;

  @Test
  void aRunThatNeverBeganLeavesNoTrace() {
    RunDirectory.open(section(), false).close();
    assertFalse(Files.exists(folder.resolve("runs").resolve("one")));
  }

  @Test
  void aFolderWithOtherThingsInItIsLeftAlone() throws IOException {
    Path notes = Files.createDirectories(folder.resolve("runs").resolve("one")).resolve("notes.txt");
    Files.writeString(notes, "mine");
    RunDirectory.open(section(), false).close();
    assertEquals("mine", Files.readString(notes));
  }

  @Test
  void theConfigurationStays() throws IOException {
    try (var directory = RunDirectory.open(section(), false)) {
      directory.writeConfiguration("{}");
    }
    assertEquals("{}", Files.readString(folder.resolve("runs").resolve("one").resolve("config.json")));
  }

  @Test
  void rejectsASecondRunOfTheSameName() {
    try (var directory = RunDirectory.open(section(), false)) {
      directory.writeConfiguration("{}");
    }
    var refusal = assertThrows(ConfigurationException.class, () -> RunDirectory.open(section(), false));
    assertTrue(refusal.getMessage().contains("--resume"), refusal.getMessage());
    RunDirectory.open(section(), true).close();
  }

  @Test
  void thereMustBeSomethingToResume() {
    var refusal = assertThrows(ConfigurationException.class, () -> RunDirectory.open(section(), true));
    assertTrue(refusal.getMessage().contains("no run in"), refusal.getMessage());
    assertFalse(Files.exists(folder.resolve("runs")));
  }

  @Test
  void oneRunAtATime() {
    try (var directory = RunDirectory.open(section(), false)) {
      directory.writeConfiguration("{}");
      assertThrows(BusyException.class, () -> RunDirectory.open(section(), true));
    }
    RunDirectory.open(section(), true).close();
  }

  @Test
  void neverTwoAtATimeThoughTheFolderComesAndGoes() throws Exception {
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
  void aFileInTheWayIsNamed() throws IOException {
    Files.writeString(folder.resolve("runs"), "a file");
    var refusal = assertThrows(StorageException.class, () -> RunDirectory.open(section(), false));
    Path runs = folder.resolve("runs");
    assertEquals(
        "run.directory: " + runs.resolve("one") + " cannot be created: " + runs + " is not a folder; give a folder that can be written to",
        refusal.getMessage());
  }

  /** For runs, and for the one: neither comes and goes. */
  @ParameterizedTest
  @ValueSource(strings = {"runs", "runs/one"})
  void aLinkToNothingIsNamed(String place) throws IOException {
    Path link = folder.resolve(place);
    Files.createDirectories(link.getParent());
    Files.createSymbolicLink(link, folder.resolve("nowhere"));
    var refusal = assertThrows(StorageException.class, () -> RunDirectory.open(section(), false));
    assertTrue(refusal.getMessage().contains(" cannot be created: " + link + " is a link to a missing target;"), refusal.getMessage());
  }

  @Test
  void aLinkToAFolderIsAFolder() throws IOException {
    Path elsewhere = Files.createDirectories(folder.resolve("elsewhere"));
    Files.createSymbolicLink(folder.resolve("runs"), elsewhere);
    try (var directory = RunDirectory.open(section(), false)) {
      directory.writeConfiguration("{}");
    }
    assertTrue(Files.exists(elsewhere.resolve("one").resolve("config.json")));
  }

  /** Where nobody can make anything, the system says that a folder is missing. */
  @ParameterizedTest
  @ValueSource(strings = {"/proc", "/proc/foo"})
  @EnabledOnOs(OS.LINUX)
  void aPlaceWhereNothingCanBeMadeIsNamed(String runs) {
    var refusal = assertThrows(StorageException.class, () -> RunDirectory.open(new RunSection("one", runs), false));
    assertTrue(refusal.getMessage().startsWith("run.directory: " + runs + "/one cannot be created: "), refusal.getMessage());
  }

  private RunSection section() {
    return new RunSection("one", folder.resolve("runs").toString());
  }
}
