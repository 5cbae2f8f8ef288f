package io.hirundo.itests.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.plugin.PluginJar;
import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.TinyTraining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** Controls a running training of the built program: from another process, at its own prompt, and by files. */
class ControlIT {
    private static final String WITNESS = "Acme-Witness";
    private static final int VOCABULARY = 256;

    /** A plugin that keeps a file while it runs. */
    public static final class Witness implements BundleActivator {
        @Override
        public void start(BundleContext context) throws IOException {
            Files.createFile(Path.of(context.getBundle().getHeaders().get(WITNESS)));
        }

        @Override
        public void stop(BundleContext context) throws IOException {
            Files.delete(Path.of(context.getBundle().getHeaders().get(WITNESS)));
        }
    }

    @TempDir
    private Path folder;

    private Program program;

    @BeforeEach
    void prepare() {
        program = Program.installed(folder);
    }

    @Test
    void attached() throws Exception {
        Program.Running training = train(copyWithSlowSteps(), List.of());
        training.awaitUntil(() -> Files.exists(socket()));

        typedLineByLine();

        // Saves are pending whenever one strategy replaces the other.
        Program.Result swapped = attach(
                "swap checkpoint.strategy dcp-async; set checkpoint.everySteps=1; swap checkpoint.strategy sync; checkpoint now; "
                        + "swap checkpoint.strategy dcp-async; checkpoint now; set checkpoint.everySteps=0");
        assertEquals(0, swapped.exitCode(), swapped::toString);
        assertEquals(
                2, swapped.out().lines().filter(line -> line.contains("saved ")).count(), swapped::toString);

        Program.Result rejected = attach("swap precision nothing");
        assertEquals(1, rejected.exitCode(), rejected::toString);
        assertTrue(rejected.out().contains("rejected: ") && rejected.out().contains("fp32"), rejected::toString);

        for (String hostile :
                List.of("$.context", "getBundle 0", "exec ls", "a = { status }", "set a=" + "[".repeat(60_000))) {
            Program.Result answer = attach(hostile);
            assertEquals(2, answer.exitCode(), answer::toString);
            assertEquals(1, answer.out().lines().count(), answer::toString);
        }

        Program.Result paused = attach("pause; status; resume; status");
        assertEquals(0, paused.exitCode(), paused::toString);
        assertTrue(paused.out().contains("synthetic: paused"), paused::toString);
        assertEquals(2, attach("swop precision bf16").exitCode());

        Program.Result stopped = attach("stop");
        assertEquals(0, stopped.exitCode(), stopped::toString);
        assertEquals(130, training.await().exitCode());
        assertFalse(Files.exists(socket()));
        assertEquals(78, attach("status").exitCode(), "nobody is there any more");
    }

    /** In another process, where each line is answered before the next is typed. */
    private void typedLineByLine() throws Exception {
        Program.Running prompt = program.start(Map.of(), "attach", "synthetic");
        Map<String, String> answers = Map.of(
                "status",
                "synthetic: running, step ",
                "strategies",
                "io.hirundo.precision-native",
                "checkpoint now",
                "saved ");
        try (var keyboard = prompt.process().outputWriter()) {
            for (String line : List.of("status", "strategies", "checkpoint now")) {
                keyboard.write(line + "\n");
                keyboard.flush();
                prompt.awaitUntil(() -> Files.readString(prompt.out()).contains(answers.get(line)));
            }
        }
        Program.Result asked = prompt.await();
        assertEquals(0, asked.exitCode(), asked::toString);
        assertTrue(asked.out().startsWith(answers.get("status")), asked::toString);
        assertTrue(Files.exists(run().resolve("checkpoints").resolve("latest")), asked::toString);
    }

    @Test
    void atThePromptOfTheTraining() throws Exception {
        Path commands = Files.writeString(folder.resolve("commands.txt"), "status\nswap precision nothing\nstop\n");
        Program.Result ended = train(program, List.of("bash", "-c", "exec \"$@\" <" + commands, "bash"), "--shell")
                .await();

        assertEquals(130, ended.exitCode(), ended::toString);
        assertTrue(ended.out().contains("synthetic: running, step "), ended::toString);
        assertTrue(ended.out().contains("rejected: "), ended::toString);
    }

    @Test
    void jarsAndSettingsThatAreDropped() throws Exception {
        Program own = copyWithSlowSteps();
        Path witness = folder.resolve("witness");
        Program.Running training = train(own, List.of());
        training.awaitUntil(() -> Files.exists(socket()));

        PluginJar plugin = new PluginJar("acme", "1.0.0")
                .header("Bundle-Activator", Witness.class.getName())
                .header("Import-Package", "org.osgi.framework")
                .header(WITNESS, witness.toString())
                .code(Witness.class.getName());
        plugin.drop(own.plugin("acme.jar"));
        training.awaitUntil(() -> Files.exists(witness));
        Files.write(own.plugin("cut.jar"), Arrays.copyOf(plugin.bytes(), plugin.bytes().length / 2));
        training.awaitUntil(() -> Files.readString(training.err()).contains("plugin cut.jar is not used"));
        Files.delete(own.plugin("acme.jar"));
        training.awaitUntil(() -> !Files.exists(witness));

        Files.writeString(
                own.home().resolve("conf").resolve("io.hirundo.training.cfg"),
                "learningRate.options.peak = 0.000321\n");
        Path metrics = run().resolve("metrics.jsonl");
        training.awaitUntil(
                () -> Files.exists(metrics) && Files.readString(metrics).contains("0.000321"));

        assertEquals(0, attach("stop").exitCode());
        Program.Result ended = training.await();
        assertEquals(130, ended.exitCode(), ended::toString);
        assertEquals(
                1, ended.err().lines().filter(line -> line.contains("plugin ")).count(), ended::toString);
    }

    /** Commands and files come seconds apart, in which a training at full speed would only take CPU time. */
    private Program copyWithSlowSteps() throws Exception {
        Program copy = Program.copied(folder, "hirundo");
        PluginJar.slowSteps(copy);
        return copy;
    }

    private Program.Running train(Program by, List<String> starter, String... more) throws IOException {
        List<String> arguments = TinyTraining.arguments(
                VOCABULARY, List.of("training.steps=10000000", "checkpoint.strategy=sync", "checkpoint.atEnd=false"));
        arguments.addAll(List.of(more));
        return by.startWith(starter, Map.of(), arguments.toArray(String[]::new));
    }

    /** From this process. */
    private Program.Result attach(String commands) throws Exception {
        return InProcess.command("attach", run().toString(), "-c", commands);
    }

    private Path run() {
        return folder.resolve("runs").resolve("synthetic");
    }

    private Path socket() {
        return run().resolve("control.sock");
    }
}
