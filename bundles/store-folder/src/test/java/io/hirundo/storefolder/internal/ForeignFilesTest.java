package io.hirundo.storefolder.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.checkpoint.support.CopyIndex;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What lies in a run's place in the store and is not ours, or not understood, is not touched; and nothing of it leads elsewhere. */
class ForeignFilesTest {
  @TempDir private Path root;

  private CheckpointInfo checkpoint(long step) throws IOException {
    Path folder = Files.createDirectories(root.resolve("checkpoints/step-" + step));
    Files.writeString(folder.resolve("data"), "of step " + step);
    return new CheckpointInfo(folder, step, 9);
  }

  @Test
  void whatIsNotOursStays() throws IOException {
    // As where somebody names the folder of the runs themselves as the store.
    Path others = Files.createDirectories(root.resolve("run/checkpoints/step-1"));
    Files.writeString(others.resolve("data"), "mine");
    Files.writeString(root.resolve("run/log.txt"), "mine");
    try (var session = new FolderSession(root, "run")) {
      session.put(checkpoint(5), done -> {});
      assertEquals(List.of(5L), session.list().stream().map(StoredCheckpoint::step).toList());
    }
    assertEquals("mine", Files.readString(others.resolve("data")));
    assertEquals("mine", Files.readString(root.resolve("run/log.txt")));
  }

  @Test
  void theFilesOfAnIndexThatIsDamagedStay() throws IOException {
    try (var session = new FolderSession(root, "run")) {
      session.put(checkpoint(5), done -> {});
      Path index = root.resolve("run/step-5.index");
      String text = Files.readString(index);
      Files.writeString(index, text.replace("data", "date"));
      session.put(checkpoint(6), done -> {});
      assertEquals(List.of(6L), session.list().stream().map(StoredCheckpoint::step).toList());
      Files.writeString(index, text);
      assertEquals(List.of(6L, 5L), session.list().stream().map(StoredCheckpoint::step).toList());
    }
  }

  @Test
  void passesOverAnIndexThatIsNoRegularFile() throws Exception {
    try (var session = new FolderSession(root, "run")) {
      session.put(checkpoint(5), done -> {});
      Path pipe = root.resolve("run/step-7.index");
      assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
      Files.createSymbolicLink(root.resolve("run/step-8.index"), Path.of("/dev/zero"));
      Files.createSymbolicLink(root.resolve("run/step-9.index"), Path.of("step-9.index"));
      Files.createDirectory(root.resolve("run/step-10.index"));
      List<Long> steps =
          assertTimeoutPreemptively(Duration.ofMinutes(1), () -> session.list().stream().map(StoredCheckpoint::step).toList());
      assertEquals(List.of(5L), steps);
    }
  }

  @Test
  void anIndexNamesNoFileElsewhere() {
    for (String name : List.of("../data", "/data", "a/../../data", "./data")) {
      var refusal = refusal("part 64\nfile 4 00000000 " + name + "\n");
      assertTrue(refusal.contains("which is no file of a checkpoint"), refusal);
    }
  }

  @Test
  void theFilesOfAnIndexConsistOfItsParts() {
    for (String lines : List.of("part 0\nfile 4 00000000 data\n", "part 2\nfile 4 00000000 data\n", "part 2\nfile -4 00000000 data\n")) {
      assertEquals("here names files whose parts do not make their lengths", refusal(lines));
    }
  }

  /** Of an index with a checksum that is right. */
  private static String refusal(String lines) {
    String body = "hirundo checkpoint copy 1\nstep 5\n" + lines;
    var crc = new CRC32C();
    crc.update(body.getBytes(StandardCharsets.UTF_8));
    String text = body + "crc32c %08x\n".formatted((int) crc.getValue());
    return assertThrows(CheckpointException.class, () -> CopyIndex.parse(text, "here")).getMessage();
  }
}
