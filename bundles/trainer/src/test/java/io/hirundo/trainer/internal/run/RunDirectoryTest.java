package io.hirundo.trainer.internal.run;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
  void aSecondRunOfTheSameNameIsRefused() {
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
  void aFileInTheWayIsNamed() throws IOException {
    Files.writeString(folder.resolve("runs"), "a file");
    var refusal = assertThrows(StorageException.class, () -> RunDirectory.open(section(), false));
    assertTrue(refusal.getMessage().contains(folder.resolve("runs").toString()), refusal.getMessage());
  }

  private RunSection section() {
    return new RunSection("one", folder.resolve("runs").toString());
  }
}
