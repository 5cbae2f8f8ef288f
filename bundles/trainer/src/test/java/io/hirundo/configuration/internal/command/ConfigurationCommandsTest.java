package io.hirundo.configuration.internal.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.strategy.Offer;
import io.hirundo.lib.run.strategy.StrategyTable;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.strategy.NoOptions;
import io.hirundo.testkit.CtrlC;
import io.hirundo.testkit.strategy.InertStrategies;
import io.hirundo.trainer.internal.fixture.Examples;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ConfigurationCommandsTest {
    @TempDir
    Path folder;

    private static String printed(ToIntFunction<PrintStream> command) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        assertEquals(0, command.applyAsInt(new PrintStream(bytes, true, StandardCharsets.UTF_8)));
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static StrategyTable inert() {
        return new StrategyTable(InertStrategies.all().stream()
                .map(each -> new Offer(each.kind(), each.name(), "test 1.0.0", each.factory()))
                .toList());
    }

    private static <C> C parsed(C command, String... arguments) {
        new CommandLine(command).parseArgs(arguments);
        return command;
    }

    @Test
    void showPrintsTheConfigJsonOfARun() throws Exception {
        Path file = Files.writeString(folder.resolve("c.yaml"), """
            run: {name: first}
            model: {architecture: llama}
            training: {steps: 10, sequenceTokens: 32, globalBatch: 4}
            data: {source: {name: indexed, options: {prefix: a/b}}}
            """);
        var show = parsed(
                new ConfigShowCommand(inert(), new CtrlC()),
                file.toString(),
                "--set",
                "seed=5",
                "--set",
                "run.name=second");
        var binder = new ConfigurationBinder(inert());
        assertEquals(
                ConfigurationBinder.json(binder.read(file, List.of("seed=5", "run.name=second"))), printed(show::show));
        var rejected =
                parsed(new ConfigShowCommand(inert(), new CtrlC()), file.toString(), "--check", "--set", "seed=x");
        assertEquals(
                file + ": seed: \"x\" is text; allowed: a whole number",
                assertThrows(ConfigurationException.class, rejected::call).getMessage());
    }

    @Test
    void checkSaysWhatItCheckedAndWarnsOfStagesWithoutLayers() {
        String file = Examples.ROOT.resolve("examples/synthetic.yaml").toString();
        String said = printed(
                parsed(new ConfigShowCommand(Examples.STRATEGIES, new CtrlC()), file, "--check", "--set", "monitors=[]")
                        ::show);
        assertTrue(said.startsWith(file + ": nothing is wrong\nchecked      names and values of settings"), said);
        assertTrue(
                said.endsWith("\nnot checked  tokenizer, data, memory (hirundo plan), devices, checkpoints\n"), said);
        String warned = printed(parsed(
                new ConfigShowCommand(Examples.STRATEGIES, new CtrlC()),
                file,
                "--check",
                "--pp",
                "4",
                "--set",
                "monitors=[]")::show);
        assertTrue(warned.startsWith("WARNING: mesh.pipeline: stages 0, 3 have no transformer layer"), warned);
        assertEquals(
                "",
                printed(parsed(
                        new ConfigShowCommand(Examples.STRATEGIES, new CtrlC()),
                        file,
                        "--check",
                        "--quiet",
                        "--set",
                        "monitors=[]")::show));
    }

    @Test
    void pluginsListsStrategies() {
        StrategyTable table = StrategyTable.of(
                new Offer(
                        "device", "cpu", "test 1.0.0", InertStrategies.factory(ComputeBackend.class, NoOptions.class)),
                new Offer(
                        "learning-rate",
                        "cosine",
                        "test 1.0.0",
                        InertStrategies.factory(LearningRateSchedule.class, InertStrategies.Rate.class)));
        assertEquals("""
        device         cpu     test 1.0.0
        learning-rate  cosine  test 1.0.0
        """, printed(parsed(new PluginsCommand(table))::list));
        assertEquals("""
        device         cpu     test 1.0.0
        learning-rate  cosine  test 1.0.0
            peak         0.0003  Highest rate (a number above 0 and at most 1)
            warmupSteps  10      Steps of the warm-up (a whole number of at least 0)
        """, printed(parsed(new PluginsCommand(table), "--options")::list));
        assertEquals("", printed(new PluginsCommand(StrategyTable.of())::list));
    }

    /** The help texts come from the constructors and annotations of the commands. */
    @Test
    void everyCommandHasHelpWithExamples() {
        for (Object command : List.of(
                new ConfigShowCommand(inert(), new CtrlC()), new ConfigSchemaCommand(inert()),
                new ConfigReferenceCommand(inert()), new PluginsCommand(inert()))) {
            var usage = new CommandLine(command).getUsageMessage();
            assertEquals(true, usage.contains("Examples:") && usage.contains("hirundo "), usage);
        }
    }
}
