package io.hirundo.itests.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.plugin.PluginJar;
import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Metrics;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.Steered;
import io.hirundo.itests.program.TinyTraining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.example.acme.AcmeFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Strategies change in a training of two processes, each of which has an installation of its own: both take what is asked for
 * after the same step, and neither takes a jar that the other has with other content. Skipped where there is no Open MPI.
 */
class SwapProcessesIT {
    private static final int VOCABULARY = 256;

    @TempDir
    private static Path folder;

    private static Program first;
    private static Program second;

    @BeforeAll
    static void prepare() throws Exception {
        OpenMpi.assumeThere(SwapProcessesIT.class);
        first = Program.copied(folder, "hirundo-0");
        second = Program.copied(folder, "hirundo-1");
    }

    @Test
    void bothTakeItOrNeither() throws Exception {
        PluginJar.slowSteps(first);
        List<String> starter = new ArrayList<>(OpenMpi.starter(2));
        starter.addAll(
                List.of("bash", "-c", "exec \"${1/hirundo-0/hirundo-$OMPI_COMM_WORLD_RANK}\" \"${@:2}\"", "bash"));
        try (Steered run =
                new Steered(first, starter, run("processes"), arguments("processes", "--set", "mesh.fabric=mpi"))) {
            run.awaitSteps(2);
            assertTrue(run.ask("swap precision bf16").matches("(?s).*precision: \"fp32\" to .*\"bf16\".*"));
            run.awaitSteps(4);

            drop(first, "one");
            drop(second, "another");
            String rejected = run.askUntil("swap precision acme", answer -> !answer.contains("is unknown"));
            assertTrue(
                    rejected.matches(
                            "(?s).*rejected: rank 1 has acme [0-9a-f]{16} where rank 0 has acme [0-9a-f]{16}; give all .*"),
                    rejected);
            run.awaitSteps(2);
            drop(second, "one");
            run.askUntil(
                    "swap precision acme", answer -> answer.matches("(?s).*precision: .*\"bf16\".* to \"acme\".*"));
            run.awaitSteps(2);
            Program.Result ended = run.stop();
            assertEquals(130, ended.exitCode(), ended::toString);

            assertEquals(run.log(0), run.log(1), "after the same steps");
            assertEquals(
                    2,
                    run.log(0).stream()
                            .filter(line -> line.contains("; parity: "))
                            .count(),
                    "two changes");
            List<Integer> changes = run.metrics().of("changed").stream()
                    .map(line -> line.get("step").asInt())
                    .toList();
            List<Double> losses = run.metrics().losses().subList(0, changes.getLast());
            assertEquals(threads(changes.getFirst(), changes.getLast()), losses, "bitwise those of threads");
        }
    }

    /** The losses of threads that begin in fp32 and restart in bf16 after the same step. */
    private static List<Double> threads(int change, int steps) throws Exception {
        List<Double> losses = new ArrayList<>(
                until(change, "--set", "checkpoint.everySteps=" + change).subList(0, change));
        // The run continued until it was stopped.
        Files.delete(run("threads").resolve("metrics.jsonl"));
        for (Path later : list(run("threads").resolve("checkpoints"))) {
            String name = later.getFileName().toString();
            if (name.startsWith("step-") && Integer.parseInt(name.substring("step-".length())) > change) {
                delete(later);
            }
        }
        losses.addAll(until(steps, "--resume", "--set", "precision=bf16").subList(0, steps - change));
        return losses;
    }

    private static List<Double> until(int step, String... more) throws Exception {
        Path run = run("threads");
        List<String> arguments = arguments("threads", more);
        arguments.addAll(List.of("--set", "run.directory=" + run.getParent()));
        Program.Result ended =
                InProcess.commandUntil(() -> Metrics.of(run).lastStep() >= step, arguments.toArray(String[]::new));
        assertEquals(130, ended.exitCode(), ended::toString);
        return Metrics.of(run).losses();
    }

    private static void drop(Program installation, String content) throws IOException {
        PluginJar.precision("acme", "1.0.0", "acme", AcmeFactory.class)
                .text("note.txt", content)
                .drop(installation.plugin("acme.jar"));
    }

    private static List<String> arguments(String name, String... more) {
        List<String> arguments = TinyTraining.arguments(
                VOCABULARY,
                List.of("run.name=" + name, "mesh.data=2", "training.steps=100000", "checkpoint.strategy=sync"));
        arguments.addAll(List.of(more));
        return arguments;
    }

    private static Path run(String name) {
        return folder.resolve("runs").resolve(name);
    }

    private static List<Path> list(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            return files.toList();
        }
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(file);
            }
        }
    }
}
