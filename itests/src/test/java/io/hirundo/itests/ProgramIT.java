package io.hirundo.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.plugin.AcmeFactory;
import io.hirundo.itests.plugin.EndlessStart;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Constants;

/** The launcher and the command line from outside: its output streams and exit codes. */
class ProgramIT {
  @TempDir
  private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"minimal", "cpu", "cuda"})
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
    assertTrue(result.out().contains("of cpu, cuda, minimal. Default: cpu."), result::toString);
  }

  @Test
  void aResultThatCannotBeWrittenIsAFailure() throws Exception {
    for (String command : List.of("plugins", "--help")) {
      Program.Result result = throughShell("exec \"$@\" > /dev/full", command);

      assertEquals(73, result.exitCode(), result::toString);
      assertEquals(1, result.err().lines().filter(line -> line.startsWith("hirundo: cannot write to standard output")).count(),
          result::toString);
    }
  }

  @Test
  void aReaderThatHasReadEnoughIsNone() throws Exception {
    Program.Result result = throughShell("{ \"$@\"; echo $? >&2; } | true", "plugins");

    assertTrue(result.err().endsWith("0\n"), result::toString);
    assertFalse(result.err().contains("hirundo:"), result::toString);
  }

  private Program.Result throughShell(String script, String command) throws Exception {
    return Program.installed(folder).startWith(List.of("sh", "-c", script, "sh"), Map.of(), command).await();
  }

  @Test
  void anUnknownCommandIsNamed() throws Exception {
    Program.Result result = Program.installed(folder).run("no-such-command");

    assertEquals(2, result.exitCode(), result::toString);
    assertEquals("", result.out());
    assertTrue(result.err().contains("no-such-command"), result::toString);
  }

  @Test
  @DisabledIf("hasNvidiaDriver")
  void withoutAGpuTheSuiteForGpusSaysSoInOneLine() throws Exception {
    Program.Result result = Program.installed(folder).run("gpu-suite");

    assertEquals(71, result.exitCode(), result::toString);
    assertTrue(
        result.err().contains("there is no device cuda: there is no NVIDIA driver (libcuda.so.1 cannot be opened)"), result::toString);
    Program.Result doctor = Program.installed(folder).run("--profile", "cuda", "doctor");
    assertEquals(0, doctor.exitCode(), doctor::toString);
    assertTrue(doctor.out().contains("there is no NVIDIA driver (libcuda.so.1 cannot be opened)"), doctor::toString);
  }

  static boolean hasNvidiaDriver() {
    try (Arena arena = Arena.ofConfined()) {
      SymbolLookup.libraryLookup("libcuda.so.1", arena);
      return true;
    } catch (IllegalArgumentException none) {
      return false;
    }
  }

  @Test
  void whatMultipliesMatricesIsSaidWithItsReason() throws Exception {
    Program program = Program.installed(folder);
    Map<String, String> environment = Map.of("DNNL_MAX_CPU_ISA", "SSE41");
    String[] training = training("device.options.gemm=onednn");

    Program.Result doctor = program.start(environment, "doctor").await();
    assertTrue(doctor.out().contains("GEMMs by the Vector API: not by onednn ("), doctor::toString);
    Program.Result rejected = program.start(environment, training).await();
    assertEquals(78, rejected.exitCode(), rejected::toString);
    assertTrue(rejected.err().contains("set device.options.gemm to auto"), rejected::toString);
    Program.Result trained = program.start(environment, training("training.steps=2")).await();
    assertEquals(0, trained.exitCode(), trained::toString);
    List<String> reasons = Files.readAllLines(folder.resolve("runs/synthetic/rank-0/log.txt")).stream()
        .filter(line -> line.contains("GEMMs by ")).toList();
    assertEquals(1, reasons.size(), reasons::toString);
    assertTrue(reasons.getFirst().contains("device cpu: GEMMs by the Vector API: not by onednn ("), reasons::toString);
    Program.Result without = program.run("--profile", "minimal", "doctor");
    assertTrue(without.out().contains("GEMMs by the Vector API: no bundle offers a library"), without::toString);
  }

  private static String[] training(String setting) {
    return TinyTraining.arguments(256, List.of("device.options.kernels=vector", setting)).toArray(String[]::new);
  }

  @Test
  void anUnknownProfileIsAnsweredWithThoseThatAreThere() throws Exception {
    Program.Result result = Program.installed(folder).run("--profile", "no-such-profile", "--version");

    assertEquals(78, result.exitCode(), result::toString);
    assertTrue(result.err().contains("(allowed: [cpu, cuda, minimal])"), result::toString);
  }

  @Test
  void pluginsThatCannotServeAreLeftOutWithALineEach() throws Exception {
    Program own = Program.copied(folder, "home");
    dropUnusable(own);

    for (List<String> command : List.of(List.of("--version"), List.of("plugins"), List.of("train", "--help"), List.of("doctor"))) {
      Program.Result result = own.run(Stream.concat(Stream.of("--profile", "minimal"), command.stream()).toArray(String[]::new));
      assertEquals(0, result.exitCode(), result::toString);
      assertFalse(result.out().isEmpty(), result::toString);
      assertUnusableAreNamed(result);
    }
  }

  @Test
  void aPluginWhoseNameIsTakenIsListedAsHidden() throws Exception {
    Program own = Program.copied(folder, "home");
    PluginJar.precision("example.second", "1.0.0", "fp32", AcmeFactory.class).drop(own.plugin("second.jar"));

    Program.Result result = own.run("--profile", "minimal", "plugins");

    assertEquals(0, result.exitCode(), result::toString);
    List<String> fp32 = result.out().lines().filter(line -> line.matches("precision +fp32 .*")).toList();
    assertEquals(2, fp32.size(), result::toString);
    assertTrue(fp32.getFirst().matches("\\S+ +fp32 +io[.]hirundo[.]precision-native \\S+"), result::toString);
    assertTrue(fp32.getLast().matches("\\S+ +fp32 +example.second 1.0.0  [(]hidden by io[.]hirundo[.]precision-native .*"), result::toString);
  }

  @Test
  void aTrainingIsNotBegunWithoutThem() throws Exception {
    Program own = Program.copied(folder, "home");
    dropUnusable(own);

    for (String command : List.of("train", "quickstart")) {
      Program.Result result = own.run("--profile", "minimal", command);
      assertEquals(78, result.exitCode(), result::toString);
      assertEquals("", result.out());
      assertUnusableAreNamed(result);
    }
  }

  @Test
  void pluginsWithBrokenComponentsOrAnEndlessStartAreNamed() throws Exception {
    Program own = Program.copied(folder, "home");
    PluginJar.precision("example.absent", "1.0.0", "absent", AcmeFactory.class).without(AcmeFactory.class).drop(own.plugin("absent.jar"));
    PluginJar.precision("example.broken", "1.0.0", "broken", AcmeFactory.class).text(PluginJar.COMPONENT, "<component").drop(own.plugin("broken.jar"));
    new PluginJar("example.endless", "1.0.0").activator(EndlessStart.class).drop(own.plugin("endless.jar"));
    new PluginJar("example.missing", "1.0.0").header("Service-Component", "OSGI-INF/none.xml").drop(own.plugin("missing.jar"));
    PluginJar.precision("example.unlicensed", "1.0.0", "unlicensed", AcmeFactory.Unlicensed.class).drop(own.plugin("unlicensed.jar"));

    Map<String, String> limit = Map.of("HIRUNDO_JAVA_OPTS", "-Dhirundo.start.seconds=2");
    Program.Result training = own.start(limit, "--profile", "minimal", "train").await();
    Program.Result listing = own.start(limit, "--profile", "minimal", "plugins").await();

    assertEquals(78, training.exitCode(), training::toString);
    assertEquals("", training.out());
    assertComponentsAreNamed(training);
    assertEquals(0, listing.exitCode(), listing::toString);
    assertTrue(listing.out().contains("io.hirundo.precision-native"), listing::toString);
    assertFalse(listing.out().contains("example."), listing::toString);
    assertComponentsAreNamed(listing);
  }

  private static void assertComponentsAreNamed(Program.Result result) {
    List<String> said = result.err().lines().filter(line -> line.startsWith("hirundo:")).toList();
    assertEquals(5, said.size(), result::toString);
    List<String> reasons =
        List.of(
            "absent.jar cannot be used: its component description OSGI-INF/component.xml names the class " + AcmeFactory.class.getName()
                + ", which is not in it",
            "broken.jar cannot be used: its component description OSGI-INF/component.xml cannot be read, line 1: ",
            "endless.jar cannot be used: its activator " + EndlessStart.class.getName() + " has not returned within 2 s",
            "missing.jar cannot be used: its header Service-Component names OSGI-INF/none.xml, which is not in it",
            "unlicensed.jar cannot be used: its component " + AcmeFactory.Unlicensed.class.getName()
                + " cannot be activated: java.lang.IllegalStateException: no license for this machine");
    for (int line = 0; line < reasons.size(); line++) {
      assertTrue(said.get(line).startsWith("hirundo: plugins/" + reasons.get(line)), result::toString);
      assertTrue(said.get(line).endsWith("; repair it, or remove it"), result::toString);
    }
  }

  /** One that needs what nobody has, one cut short, and one twice. */
  private static void dropUnusable(Program program) throws IOException {
    new PluginJar("example.lonely", "1.0.0").header(Constants.IMPORT_PACKAGE, "no.such.place;version=\"[2,3)\"").drop(program.plugin("lonely.jar"));
    PluginJar sound = new PluginJar("example.sound", "1.0.0");
    sound.drop(program.plugin("a.jar"));
    sound.drop(program.plugin("b.jar"));
    PluginJar.drop(Arrays.copyOf(sound.bytes(), sound.bytes().length / 2), program.plugin("cut.jar"));
  }

  private static void assertUnusableAreNamed(Program.Result result) {
    List<String> said = result.err().lines().filter(line -> line.startsWith("hirundo:")).toList();
    assertEquals(3, said.size(), result::toString);
    assertEquals("hirundo: plugins/b.jar is a second copy of example.sound 1.0.0, which plugins/a.jar holds: remove one", said.getFirst());
    assertEquals("hirundo: plugins/cut.jar is not a jar (zip END header not found): remove it or copy it again", said.get(1));
    assertTrue(said.getLast().contains("bundle example.lonely ("), result::toString);
    assertTrue(said.getLast().contains("package no.such.place, version >= 2.0.0 and < 3.0.0"), result::toString);
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
}
