package io.hirundo.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Constants;

/** Every kind of project that {@code plugin new} writes is built by Maven, its contract test run, and used by the program. */
class PluginNewIT {
  private static final List<String> KINDS = List.of("precision", "checkpoint", "data", "monitor", "device", "optimizer", "command");

  @TempDir private static Path shared;

  /** The program with all of them in its plugins/; its path has special characters. */
  private static Program program;

  @TempDir private Path folder;

  @BeforeAll
  static void makeAndBuildAllKinds() throws Exception {
    program = new Program(Profiles.copyOfDistro(shared.resolve("a hirundo & co")), shared);
    for (String kind : KINDS) {
      Program.Result made = program.run("--profile", "minimal", "plugin", "new", name(kind), "--kind", kind);
      assertEquals(0, made.exitCode(), made::toString);
    }
    new OfflineMaven(shared).buildTogether(KINDS.stream().map(PluginNewIT::name).toList());
    for (String kind : KINDS) {
      Files.copy(jar(kind), program.home().resolve("plugins").resolve(name(kind) + ".jar"));
    }
  }

  @Test
  void theirStrategiesAreListed() throws Exception {
    Program.Result plugins = program.run("--profile", "minimal", "plugins");

    assertEquals(0, plugins.exitCode(), plugins::toString);
    for (String kind : KINDS.subList(0, 6)) {
      Pattern line =
          Pattern.compile("^" + kind + " +acme-" + kind + " +org[.]example[.]acme" + kind + " 1[.]0[.]0$", Pattern.MULTILINE);
      assertTrue(line.matcher(plugins.out()).find(), plugins::toString);
    }
  }

  @Test
  void aTrainingWorksWithThem() throws Exception {
    Path text = Files.writeString(folder.resolve("text.txt"), "All happy families are alike. ".repeat(500));
    Program here = new Program(program.home(), folder);
    Program.Result trained = here.run(
        "--profile", "minimal", "train", example().toString(), "--set", "run.name=acme", "--set", "training.steps=4",
        "--set", "mesh.data=2", "--set", "device=acme-device",
        "--set", "precision={name: acme-precision, options: {roundWeights: true}}",
        "--set", "optimizer={name: acme-optimizer, options: {momentum: 0.8}}",
        "--set", "data.source={name: acme-data, options: {file: " + text + "}}",
        "--set", "monitors=[console, jsonl, {name: acme-monitor, options: {everySteps: 2}}]",
        "--set", "checkpoint.strategy=acme-checkpoint", "--set", "checkpoint.atEnd=true");
    assertEquals(0, trained.exitCode(), trained::toString);
    Pattern told = Pattern.compile("^acme-device: \\d+ GEMMs", Pattern.MULTILINE);
    assertTrue(told.matcher(trained.err()).find(), trained::toString);

    Path run = folder.resolve("runs").resolve("acme");
    for (String rank : List.of("rank-0-of-2", "rank-1-of-2")) {
      assertTrue(Files.isRegularFile(run.resolve("checkpoints").resolve("step-4").resolve(rank)), rank);
    }
    assertEquals(List.of("step", "2", "4"), firstColumn(run.resolve("acme-monitor.csv")));

    // In another layout: one rank loads the state that two ranks saved, the optimizer's too.
    Program.Result resumed = here.run(
        "--profile", "minimal", "train", run.resolve("config.json").toString(), "--resume", "--set", "training.steps=6",
        "--set", "mesh.data=1");
    assertEquals(0, resumed.exitCode(), resumed::toString);
    assertEquals(List.of("step", "2", "4", "6"), firstColumn(run.resolve("acme-monitor.csv")));

    Program.Result summary = here.run("--profile", "minimal", "acme-command", run.toString(), "--best", "2");
    assertEquals(0, summary.exitCode(), summary::toString);
    assertTrue(summary.out().startsWith("6 steps, loss "), summary::toString);
    assertEquals(3, summary.out().lines().count(), summary::toString);
  }

  @Test
  void aProjectIsNotWrittenOverAnother() throws Exception {
    Program.Result again = program.run("--profile", "minimal", "plugin", "new", name("data"), "--kind", "data");

    assertEquals(73, again.exitCode(), again::toString);
    assertTrue(again.err().contains("hirundo: " + shared.resolve(name("data")) + " exists and is not empty"), again::toString);
  }

  @Test
  void rejectsInvalidNames() throws Exception {
    Program.Result rejected = new Program(program.home(), folder).run("--profile", "minimal", "plugin", "new", "No", "--kind", "data");

    assertEquals(2, rejected.exitCode(), rejected::toString);
    assertTrue(rejected.err().contains("hirundo: NAME must be lowercase letters"), rejected::toString);
    assertFalse(Files.exists(folder.resolve("No")));
  }

  @Test
  void jarBuiltForOldestAcceptedVersionWorks() throws Exception {
    Program home = new Program(Profiles.copyOfDistro(folder.resolve("home")), folder);
    copyWithImports(jar("precision"), home.home().resolve("plugins").resolve("older.jar"), "io[.]hirundo[.]?\\w*", "[0.24,1)");

    Program.Result trained = home.run(
        "--profile", "minimal", "train", example().toString(), "--set", "training.steps=1", "--set", "precision=acme-precision");

    assertEquals(0, trained.exitCode(), trained::toString);
  }

  @Test
  void rejectsPluginOfAnotherMajorVersionWithBothVersions() throws Exception {
    Program home = new Program(Profiles.copyOfDistro(folder.resolve("home")), folder);
    Path plugin = home.home().resolve("plugins").resolve("newer.jar");
    copyWithImports(jar("precision"), plugin, "io[.]hirundo[.]precision", "[2,3)");

    Program.Result rejected = home.run("--profile", "minimal", "train", example().toString());

    assertEquals(78, rejected.exitCode(), rejected::toString);
    assertEquals("", rejected.out());
    assertEquals(
        List.of(
            "hirundo: bundle org.example.acmeprecision (" + plugin + ") does not resolve: nothing provides package io.hirundo.precision,"
                + " version >= 2.0.0 and < 3.0.0 (available: 0.N of io.hirundo.api). Build it for the available versions, add what is missing,"
                + " or remove it"),
        rejected.err().lines()
            .filter(line -> line.startsWith("hirundo:"))
            // Independent of the package's current version.
            .map(line -> line.replaceFirst("available: 0[.]\\d+[.]0 of", "available: 0.N of"))
            .toList());
  }

  @Test
  void jarBuiltForOlderApiIsRejectedAlthoughItsRangesAdmitThisOne() throws Exception {
    Program home = new Program(Profiles.copyOfDistro(folder.resolve("home")), folder);
    copyWithImports(jar("precision"), home.home().resolve("plugins").resolve("older.jar"), "io[.]hirundo[.]precision", "[0.9,1)");

    Program.Result rejected = home.run("--profile", "minimal", "train", example().toString());

    assertEquals(78, rejected.exitCode(), rejected::toString);
    assertTrue(rejected.err().contains("it was built for version 0.9.0 of io.hirundo.precision"), rejected::toString);
  }

  /** As if it had been compiled against other versions of these packages. */
  private static void copyWithImports(Path jar, Path copy, String packages, String range) throws IOException {
    PluginJar.drop(
        PluginJar.changed(
            jar,
            Constants.IMPORT_PACKAGE,
            imports -> {
              String others = imports.replaceAll("(?<=^|,)(" + packages + ";version=\")[^\"]*", "$1" + range);
              assertTrue(others.contains("io.hirundo.precision;version=\"" + range + "\""), others);
              return others;
            }),
        copy);
  }

  private static String name(String kind) {
    return "acme-" + kind;
  }

  private static Path jar(String kind) {
    return shared.resolve(name(kind)).resolve("target").resolve(name(kind) + ".jar");
  }

  private static Path example() {
    return Profiles.distro().resolve("../../../examples/synthetic.yaml").normalize();
  }

  private static List<String> firstColumn(Path csv) throws IOException {
    List<String> column = new ArrayList<>();
    try (Stream<String> lines = Files.lines(csv)) {
      lines.forEach(line -> column.add(line.split(",")[0]));
    }
    return column;
  }
}
