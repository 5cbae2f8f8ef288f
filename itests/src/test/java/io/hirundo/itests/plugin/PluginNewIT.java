package io.hirundo.itests.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.program.Metrics;
import io.hirundo.itests.program.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every kind of project that {@code plugin new} writes is built by Maven, its contract test run, and used by the program: in processes of
 * its own where it finds the jars itself, and else in a framework of this process that has them too.
 */
class PluginNewIT {
    @TempDir
    private static Path shared;

    private static BuiltPlugins plugins;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makeAndBuildAllKinds() throws Exception {
        plugins = new BuiltPlugins(shared);
    }

    @AfterAll
    static void end() throws Exception {
        if (plugins != null) {
            plugins.close();
        }
    }

    /** Nested, so that they use the plugins that are built here. */
    @Nested
    class Families extends PluginFamilies {
        Families() {
            super(plugins);
        }
    }

    @Test
    void theirStrategiesAreListed() throws Exception {
        Program.Result listed = plugins.succeed("plugins");

        BuiltPlugins.STRATEGIES.forEach((kind, served) -> {
            String bundle = "org[.]example[.]acme" + kind.replace("-", "");
            Pattern line =
                    Pattern.compile("^" + served + " +acme-" + kind + " +" + bundle + " 1[.]0[.]0$", Pattern.MULTILINE);
            assertTrue(served.isEmpty() || line.matcher(listed.out()).find(), () -> kind + ": " + listed);
        });
    }

    @Test
    void aTrainingWorksWithThem() throws Exception {
        Path text = Files.writeString(folder.resolve("text.txt"), "All happy families are alike. ".repeat(500));
        Path backup = Files.createDirectory(folder.resolve("backup"));
        Program.Result trained = plugins.programIn(folder)
                .run(inMinimalProfile(tiny(
                        "train",
                        "run.name=acme",
                        "training.steps=4",
                        "mesh.data=2",
                        "mesh.fabric=acme-fabric",
                        "mesh.dataParallel=acme-data-parallel",
                        "device=acme-device",
                        "precision={name: acme-precision, options: {roundWeights: true}}",
                        "optimizer={name: acme-optimizer, options: {momentum: 0.8}}",
                        "learningRate={name: acme-learning-rate, options: {peak: 0.01, warmupSteps: 2}}",
                        "data.source={name: acme-data, options: {file: " + text + "}}",
                        "data.tokenizer=acme-tokenizer",
                        "monitors=[console, jsonl, {name: acme-monitor, options: {everySteps: 2}}]",
                        "checkpoint.strategy=acme-checkpoint",
                        "checkpoint.atEnd=true",
                        "model.export=true",
                        "model.exportFormat=acme-format",
                        "checkpoint.store={name: acme-store, options: {path: " + backup + "}}")));
        assertEquals(0, trained.exitCode(), trained::toString);
        for (String expected : List.of(
                "^acme-device: [1-9]\\d* GEMMs", "^acme-fabric: rank 0: [1-9]\\d* collectives and transfers of")) {
            assertTrue(
                    Pattern.compile(expected, Pattern.MULTILINE)
                            .matcher(trained.err())
                            .find(),
                    trained::toString);
        }

        Path run = folder.resolve("runs").resolve("acme");
        for (String rank : List.of("rank-0-of-2", "rank-1-of-2")) {
            assertTrue(
                    Files.isRegularFile(
                            run.resolve("checkpoints").resolve("step-4").resolve(rank)),
                    rank);
        }
        assertEquals(List.of("step", "2", "4"), firstColumn(run.resolve("acme-monitor.csv")));

        assertEquals(
                0.005,
                Metrics.of(run).of("gradNorm").getFirst().get("learningRate").asDouble(),
                "half of the warm-up");
        assertTrue(Files.isRegularFile(backup.resolve("acme").resolve("step-4.zip")));

        // From the store, in another layout: one rank loads the state that two ranks saved, the optimizer's too.
        Files.move(run.resolve("checkpoints"), folder.resolve("lost"));
        Program.Result resumed = plugins.succeed(
                "train",
                run.resolve("config.json").toString(),
                "--resume",
                "--lr-schedule",
                "stretch",
                "--set",
                runs(),
                "--set",
                "training.steps=6",
                "--set",
                "mesh.data=1",
                "--set",
                "samples={everySteps: 6, prompts: [All], tokens: 5}");
        assertEquals(1, Metrics.of(run).of("sample").size(), resumed::toString);
        assertTrue(Files.readString(run.resolve("model/tokenizer_config.json")).contains("AcmeTokenizerTokenizer"));

        assertEquals(List.of("step", "2", "4", "6"), firstColumn(run.resolve("acme-monitor.csv")));

        Program.Result summary = plugins.succeed("acme-command", run.toString(), "--best", "2");
        assertTrue(summary.out().startsWith("6 steps, loss "), summary::toString);
        assertEquals(3, summary.out().lines().count(), summary::toString);
        requireContinues(run, text);
    }

    /** A run that begins with the exported weights has a loss near the last one. */
    private void requireContinues(Path run, Path text) throws Exception {
        Program.Result imported = plugins.succeed(tiny(
                "train",
                runs(),
                "run.name=imported",
                "training.steps=1",
                "model.architecture=null",
                "model.from=" + run.resolve("model"),
                "model.format=acme-format",
                "data.source={name: acme-data, options: {file: " + text + "}}"));
        double last = Metrics.of(run).losses().getLast();
        assertEquals(last, Metrics.of(folder.resolve("runs/imported")).losses().getFirst(), 0.2, imported::toString);
    }

    private String runs() {
        return "run.directory=" + folder.resolve("runs");
    }

    private static String[] tiny(String command, String... assignments) {
        return BuiltPlugins.tiny(command, List.of(), assignments);
    }

    private static String[] inMinimalProfile(String... arguments) {
        return Stream.concat(Stream.of("--profile", "minimal"), Stream.of(arguments))
                .toArray(String[]::new);
    }

    private static List<String> firstColumn(Path csv) throws IOException {
        List<String> column = new ArrayList<>();
        try (Stream<String> lines = Files.lines(csv)) {
            lines.forEach(line -> column.add(line.split(",")[0]));
        }
        return column;
    }

    @Test
    void aProjectIsNotWrittenOverAnother() throws Exception {
        Path project = plugins.project("data");
        Program.Result again = plugins.pluginNew(BuiltPlugins.name("data"), "data", project);

        assertEquals(73, again.exitCode(), again::toString);
        assertTrue(again.err().contains("hirundo: " + project + " exists and is not empty"), again::toString);
    }

    @Test
    void rejectsInvalidNames() throws Exception {
        Program.Result rejected = plugins.pluginNew("No", "data", folder.resolve("No"));

        assertEquals(2, rejected.exitCode(), rejected::toString);
        assertTrue(rejected.err().contains("hirundo: NAME must be lowercase letters"), rejected::toString);
        assertFalse(Files.exists(folder.resolve("No")));
    }
}
