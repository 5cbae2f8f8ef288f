package io.hirundo.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scripts that start the program, called as no developer does: without a home, for instance. */
class LauncherScriptIT {
  private static final Path SCRIPT = Profiles.distro().resolve("bin/hirundo");
  private static final Path JDK = Path.of(System.getProperty("java.home"));

  @TempDir private Path folder;

  @Test
  void withoutAHomeWhatIsKeptIsInATemporaryFolderOfTheUser() throws Exception {
    for (String time : List.of("first", "second")) {
      Program.Result result = run(Map.of("JAVA_HOME", JDK.toString(), "TMPDIR", folder.toString()), SCRIPT, "--version");

      assertEquals(0, result.exitCode(), time + ": " + result);
      assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(temporaryCache())));
    }
  }

  @Test
  void aTemporaryFolderThatSomebodyElseMayHaveMadeIsNotUsed() throws Exception {
    Files.createSymbolicLink(temporaryCache(), Files.createDirectory(folder.resolve("trap")));

    Program.Result result = run(Map.of("JAVA_HOME", JDK.toString(), "TMPDIR", folder.toString()), SCRIPT, "--version");

    assertEquals(78, result.exitCode(), result::toString);
    assertTrue(result.err().contains(temporaryCache() + " cannot be made or is another user's: set HIRUNDO_CACHE"), result::toString);
  }

  private Path temporaryCache() throws IOException {
    return folder.resolve("hirundo-cache-" + Files.getAttribute(folder, "unix:uid"));
  }

  /** With nothing in the environment but the PATH and what is given. */
  private Program.Result run(Map<String, String> environment, Path program, String... arguments) throws Exception {
    var command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    Path out = Files.createTempFile(folder, "out-", ".txt");
    Path err = Files.createTempFile(folder, "err-", ".txt");
    var builder = new ProcessBuilder(command).directory(folder.toFile()).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/bin:/bin");
    builder.environment().putAll(environment);
    return new Program.Running(builder.start(), out, err).await();
  }
}
