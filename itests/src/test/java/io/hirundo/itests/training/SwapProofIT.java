package io.hirundo.itests.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.plugin.PluginJar;
import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Metrics;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.Steered;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.example.acme.AcmeFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Trains on four ranks, on real text, while strategies change: at the prompt, in a file, by jars that are installed and
 * removed, some of them broken. The losses are those of an undisturbed run.
 */
class SwapProofIT {
    private static final int RANKS = 4;

    @TempDir
    private static Path folder;

    private static Program program;

    /** A precision strategy of a third party. {@code PluginNewIT} builds one with Maven. */
    private static Path strangersJar;

    @BeforeAll
    static void prepare() throws Exception {
        program = Program.copied(folder, "hirundo");
        RealTexts.write(program);
        PluginJar.slowSteps(program);
        strangersJar = folder.resolve("acme.jar");
        PluginJar.precision("org.example.acme", "1.0.0", "acme", AcmeFactory.class)
                .drop(strangersJar);
    }

    @Test
    void strategiesOfTheProgram() throws Exception {
        List<String> layout = List.of("--tp", "2", "--pp", "2");
        try (Steered run = start("swapped", layout)) {
            run.awaitSteps(3);
            String there = run.ask("swap precision bf16");
            assertTrue(there.matches("(?s).*precision: \"fp32\" to .*\"bf16\".*"), there);
            run.awaitSteps(5);
            assertTrue(run.ask("strategies").lines().anyMatch(line -> line.matches("precision +bf16 .*")));
            String back = run.ask("swap precision fp32");
            assertTrue(back.matches("(?s).*precision: .*\"bf16\".* to \"fp32\".*"), back);
            run.awaitSteps(2);
            assertTrue(run.ask("swap schedule gpipe").contains("mesh.schedule: "));
            run.awaitSteps(2);
            Path settings = program.home().resolve("conf").resolve("io.hirundo.training.cfg");
            Files.writeString(settings, "mesh.schedule = zb-h1\n");
            run.await(() -> run.metrics().of("changed").size() == 4);
            Files.delete(settings);
            run.awaitSteps(2);
            String rejected = run.rejectionOf("swap schedule interleaved '{chunks: 2}'");
            assertTrue(rejected.contains("rejected: "), rejected);
            String blend = run.ask(
                    "set 'data.source.options.blend=[{prefix: pages, weight: 3}, {prefix: readme, weight: 1}]'");
            assertTrue(blend.contains("data.source"), blend);
            run.awaitSteps(8);
            assertEquals(130, run.stop().exitCode());

            Metrics found = assertUnbroken(run, 5, 1);
            List<Double> expected = untouched("untouched", layout, found.steps().size());
            int before = found.of("changed").getFirst().get("step").asInt();
            int blended = found.of("changed").getLast().get("step").asInt();
            assertEquals(
                    expected.subList(0, before), found.losses().subList(0, before), "bitwise until the first change");
            assertNotEquals(expected.get(before), found.losses().get(before), "bf16 rounds");
            for (int index = before; index < blended; index++) {
                assertEquals(1, found.losses().get(index) / expected.get(index), 1e-3, "step " + (index + 1));
            }
            // From here on it reads other pages as well: of those it knows as much.
            assertEquals(
                    1,
                    mean(found.losses(), blended) / mean(expected, blended),
                    0.1,
                    () -> found.losses() + " and " + expected);
        }
    }

    private static double mean(List<Double> losses, long from) {
        return losses.stream().skip(from).mapToDouble(loss -> loss).average().orElseThrow();
    }

    @Test
    void strangersJars() throws Exception {
        List<String> layout = List.of("--pp", "2", "--dp", "2");
        try (Steered run = start("plugged", layout)) {
            run.awaitSteps(2);
            String strategies = run.ask("strategies");
            hostile(run);
            assertEquals(strategies, run.ask("strategies"), "rejected requests leave no trace");

            drop("acme.jar", "Bundle-Version", "1.0.0");
            select(run, "acme");
            assertTrue(run.ask("strategies").contains("org.example.acme 1.0.0"));
            drop("acme.jar", "Bundle-Version", "1.1.0");
            run.await(() -> run.ask("strategies").contains("org.example.acme 1.1.0"));
            run.awaitSteps(2);

            Files.delete(program.plugin("acme.jar"));
            run.await(() ->
                    run.status().startsWith("plugged: paused (precision: acme of org.example.acme 1.1.0 has gone"));
            String remedies = run.rejectionOf("resume");
            assertTrue(
                    remedies.contains(
                            "rejected: precision: acme of org.example.acme 1.1.0 has gone; swap precision bf16 or "),
                    remedies);
            assertTrue(remedies.contains(" put its bundle back into plugins/; in "), remedies);
            long paused = run.metrics().lastStep();
            drop("acme.jar", "Bundle-Version", "1.2.0");
            run.awaitSteps(3);
            assertEquals(
                    paused, run.metrics().of("resumed").getLast().get("step").asLong());

            int pauses = run.metrics().of("paused").size();
            drop("other.jar", "Bundle-SymbolicName", "acme-again");
            PluginJar.precision("late", "1.0.0", "late", AcmeFactory.class).drop(program.plugin("late.jar"));
            select(run, "late");
            run.ask("swap precision acme");
            Files.delete(program.plugin("acme.jar"));
            run.await(() -> run.ask("strategies").contains("acme-again 1.0.0"));
            run.awaitSteps(3);
            assertEquals(
                    pauses, run.metrics().of("paused").size(), "another bundle offers the same: nothing is waited for");

            Program.Result ended = run.stop();
            assertEquals(130, ended.exitCode(), ended::toString);
            Metrics found = Metrics.of(folder.resolve("runs").resolve("plugged"));
            List<Double> expected = untouched("alone", layout, found.steps().size());
            assertEquals(expected, found.losses(), "bitwise as if nothing had happened");
            assertUnbroken(run, found.of("changed").size(), found.rejected().size());
            assertFalse(ended.err().contains("\tat "), ended.err());
        }
    }

    /** Jars that cannot be used, also some that only look usable. */
    private static void hostile(Steered run) throws Exception {
        byte[] whole =
                PluginJar.precision("cut", "1.0.0", "cut", AcmeFactory.class).bytes();
        PluginJar.drop(Arrays.copyOf(whole, whole.length / 2), program.plugin("cut.jar"));
        run.awaitError("plugin cut.jar is not used: ");
        new PluginJar("lonely", "1.0.0")
                .header("Import-Package", "com.example.nowhere")
                .drop(program.plugin("lonely.jar"));
        run.awaitError("plugin lonely.jar is not used: ");
        PluginJar.precision("unlicensed", "1.0.0", "unlicensed", AcmeFactory.Unlicensed.class)
                .drop(program.plugin("unlicensed.jar"));
        run.awaitError("plugin unlicensed.jar is not used: ");

        PluginJar.precision("transposed", "1.0.0", "transposed", AcmeFactory.Transposed.class)
                .drop(program.plugin("transposed.jar"));
        PluginJar.precision("tripping", "1.0.0", "tripping", AcmeFactory.Tripping.class)
                .drop(program.plugin("tripping.jar"));
        String transposed = select(run, "transposed");
        assertTrue(
                transposed.contains("the parity check: the weight gradient of model.layers.1.self_attn.o_proj.weight"),
                transposed);
        String tripping = select(run, "tripping");
        assertTrue(tripping.contains("fell over a microbatch"), tripping);
        for (String jar : List.of("cut", "lonely", "unlicensed", "transposed", "tripping")) {
            Files.delete(program.plugin(jar + ".jar"));
        }
        run.askUntil("swap precision tripping", answer -> answer.contains("is unknown"));
        assertTrue(run.rejectionOf("swap precision unlicensed").contains("is unknown"));
        List<String> lines =
                run.errors().lines().filter(line -> line.contains("plugin ")).toList();
        assertEquals(3, lines.size(), run.errors());
        assertTrue(lines.get(1).contains("com.example.nowhere"), lines.get(1));
        assertTrue(lines.get(2).contains("no license for this machine"), lines.get(2));
        String log = Files.readString(
                folder.resolve("runs").resolve("plugged").resolve("rank-0").resolve("log.txt"));
        assertTrue(log.contains(" rank 0 WARNING plugin cut.jar is not used: "), log);
        run.awaitSteps(2);
    }

    /** The third party's jar with another value of this header. */
    private static void drop(String jar, String header, String value) throws Exception {
        PluginJar.drop(PluginJar.changed(strangersJar, header, _ -> value), program.plugin(jar));
    }

    /** As soon as it is there. */
    private static String select(Steered run, String name) throws Exception {
        return run.askUntil("swap precision " + name, answer -> !answer.contains("is unknown"));
    }

    private static Steered start(String name, List<String> layout) throws Exception {
        return new Steered(program, List.of(), folder.resolve("runs").resolve(name), arguments(name, layout));
    }

    /** The losses of as many steps of an undisturbed run. */
    private static List<Double> untouched(String name, List<String> layout, int steps) throws Exception {
        Path run = folder.resolve("runs").resolve(name);
        List<String> arguments = arguments(name, layout);
        arguments.addAll(List.of("--set", "run.directory=" + run.getParent()));
        // The sample order depends on the number of steps, so this training does not end on its own either.
        Program.Result ended =
                InProcess.commandUntil(() -> Metrics.of(run).lastStep() >= steps, arguments.toArray(String[]::new));
        assertEquals(130, ended.exitCode(), ended::toString);
        return Metrics.of(run).losses().subList(0, steps);
    }

    private static List<String> arguments(String name, List<String> layout) {
        List<String> arguments = new ArrayList<>(
                List.of("train", folder.resolve("training.json").toString(), "--set", "run.name=" + name));
        arguments.addAll(layout);
        return arguments;
    }

    /** No step is missing or repeated, and all ranks log the same events after the same steps. */
    private static Metrics assertUnbroken(Steered run, int changes, int rejections) throws Exception {
        Metrics found = run.metrics();
        assertEquals(LongStream.rangeClosed(1, found.lastStep()).boxed().toList(), found.steps());
        assertEquals(changes, found.of("changed").size());
        assertEquals(rejections, found.rejected().size());
        List<String> first = run.log(0);
        assertEquals(
                changes + rejections,
                first.stream()
                        .filter(line -> line.contains("parity: ") || line.contains("rejected "))
                        .count(),
                first::toString);
        for (int rank : IntStream.range(1, RANKS).toArray()) {
            assertEquals(first, run.log(rank), "rank " + rank);
        }
        return found;
    }
}
