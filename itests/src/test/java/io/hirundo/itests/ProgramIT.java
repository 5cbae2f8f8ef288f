package io.hirundo.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Constants;

/** The launcher and the command line from outside: what is printed where, and which exit code comes back. */
class ProgramIT {
  @TempDir
  private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"minimal", "cpu"})
  void everyProfileStarts(String profile) throws Exception {
    Program.Result result = Program.installed(folder).run("--profile", profile, "--version");

    assertEquals(0, result.exitCode(), result::toString);
    assertTrue(result.out().startsWith("hirundo 0."), result::toString);
  }

  @Test
  void helpGoesToStandardOutput() throws Exception {
    Program.Result result = Program.installed(folder).run("--help");

    assertEquals(0, result.exitCode(), result::toString);
    assertTrue(result.out().contains("Usage: hirundo"), result::toString);
  }

  @Test
  void anUnknownCommandIsNamed() throws Exception {
    Program.Result result = Program.installed(folder).run("no-such-command");

    assertEquals(2, result.exitCode(), result::toString);
    assertEquals("", result.out());
    assertTrue(result.err().contains("no-such-command"), result::toString);
  }

  @Test
  void anUnknownProfileIsAnsweredWithThoseThatAreThere() throws Exception {
    Program.Result result = Program.installed(folder).run("--profile", "no-such-profile", "--version");

    assertEquals(78, result.exitCode(), result::toString);
    assertTrue(result.err().contains("there are [cpu, minimal]"), result::toString);
  }

  @Test
  void aPluginThatDoesNotResolveIsNamedWithWhatItMisses() throws Exception {
    Path home = Profiles.copyOfDistro(folder.resolve("home"));
    writeBundle(home.resolve("plugins").resolve("lonely.jar"), "example.lonely", "no.such.place;version=\"[2,3)\"");

    Program.Result result = new Program(home, folder).run("--profile", "minimal", "--version");

    assertEquals(78, result.exitCode(), result::toString);
    assertEquals("", result.out());
    List<String> said = result.err().lines().filter(line -> line.startsWith("hirundo:")).toList();
    assertEquals(1, said.size(), result::toString);
    assertTrue(said.getFirst().contains("example.lonely"), result::toString);
    assertTrue(said.getFirst().contains("package no.such.place, version >= 2.0.0 and < 3.0.0"), result::toString);
  }

  @Test
  void aProcessLeavesNothingInTheTemporaryFolder() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    Program.Result result = Program.installed(folder)
        .start(Map.of("HIRUNDO_JAVA_OPTS", "-Djava.io.tmpdir=" + temporary), "--version").await();

    assertEquals(0, result.exitCode(), result::toString);
    try (Stream<Path> left = Files.list(temporary)) {
      assertFalse(left.findAny().isPresent());
    }
  }

  private static void writeBundle(Path jar, String name, String imports) throws IOException {
    Manifest manifest = new Manifest();
    Attributes headers = manifest.getMainAttributes();
    headers.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    headers.putValue(Constants.BUNDLE_MANIFESTVERSION, "2");
    headers.putValue(Constants.BUNDLE_SYMBOLICNAME, name);
    headers.putValue(Constants.IMPORT_PACKAGE, imports);
    try (OutputStream file = Files.newOutputStream(jar); JarOutputStream out = new JarOutputStream(file, manifest)) {
      out.finish();
    }
  }
}
