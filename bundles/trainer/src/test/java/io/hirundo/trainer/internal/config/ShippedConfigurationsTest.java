package io.hirundo.trainer.internal.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.command.Quantity;
import io.hirundo.lib.configuration.binding.ChoiceResolver;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.fit.LayoutCheck;
import io.hirundo.lib.run.strategy.StrategyResolver;
import io.hirundo.trainer.internal.fixture.Examples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The shipped configurations bind to the records, their options to the strategies, and their meshes to the models. */
class ShippedConfigurationsTest {
    static List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String folder : List.of("examples", "distro/src/main/files/conf")) {
            try (Stream<Path> found = Files.list(Examples.ROOT.resolve(folder))) {
                found.filter(file -> file.toString().endsWith(".yaml")).forEach(files::add);
            }
        }
        assertFalse(files.isEmpty());
        return files;
    }

    @ParameterizedTest
    @MethodSource("files")
    void bindsAndReadsBack(Path file) {
        ConfigurationBinder binder = new ConfigurationBinder(ChoiceResolver.unchecked());
        RunConfiguration bound = binder.read(file, List.of());
        assertEquals(
                ConfigurationBinder.json(bound),
                ConfigurationBinder.json(binder.bind(ConfigurationBinder.values(bound))));
    }

    @ParameterizedTest
    @CsvSource({
        "llama-3-8b, bf16, 8",
        "llama-3-8b, fp8-blockwise, 8",
        "llama-3-70b, bf16, 256",
        "llama-3-70b, fp8-blockwise, 256",
        "llama-3.1-405b, bf16, 16384",
        "own-text, fp32, 1"
    })
    void passesTheCheckOfConfigShow(String name, String precision, int ranks) {
        RunConfiguration configuration = Examples.read(name, "precision=" + precision);
        LayoutCheck.check(configuration, new StrategyResolver(Examples.STRATEGIES));
        assertEquals(ranks, configuration.mesh().mesh().ranks());
    }

    /** {@code hirundo plan} prints the same number. */
    @ParameterizedTest
    @CsvSource({
        "docs/tutorials/own-text.md, examples/own-text.yaml",
        "examples/own-text.yaml, examples/own-text.yaml",
        "docs/audit.md, examples/synthetic.yaml",
        "docs/precision.md, distro/src/main/files/conf/quickstart.yaml",
        "distro/src/main/files/conf/quickstart.yaml, distro/src/main/files/conf/quickstart.yaml",
        "bundles/cli/src/main/java/io/hirundo/cli/internal/quickstart/QuickstartCommand.java, distro/src/main/files/conf/quickstart.yaml",
        "docs/precision.md, benchmarks/convergence.yaml",
        "benchmarks/convergence.yaml, benchmarks/convergence.yaml",
        "benchmarks/llama-a.yaml, benchmarks/llama-a.yaml",
        "benchmarks/llama-b.yaml, benchmarks/llama-b.yaml",
        "docs/performance.md, benchmarks/llama-b.yaml"
    })
    void parameterCountsInTextsAreThoseOfTheModel(String text, String configuration) throws IOException {
        List<String> free =
                List.of("device=cpu", "model.format=null", "model.export=false", "data.tokenizer=null", "monitors=[]");
        RunConfiguration bound =
                new ConfigurationBinder(Examples.STRATEGIES).read(Examples.ROOT.resolve(configuration), free);
        double millions;
        try (var strategies = new StrategyResolver(Examples.STRATEGIES).resolve(bound)) {
            millions = ModelTensors.parameters(strategies.model().architecture().describe()) / 1e6;
        }
        List<String> counts = Pattern.compile("([0-9.]+) million parameters")
                .matcher(Files.readString(Examples.ROOT.resolve(text)))
                .results()
                .map(count -> count.group(1))
                .toList();
        assertTrue(
                counts.stream().anyMatch(count -> {
                    int decimals = count.contains(".") ? count.length() - count.indexOf('.') - 1 : 0;
                    return count.equals(Quantity.fixed(millions, decimals));
                }),
                () -> text + " says " + counts + ", " + configuration + " has " + millions);
    }

    @ParameterizedTest
    @MethodSource("files")
    void isNamedInTheReadme(Path file) throws IOException {
        if (file.getParent().endsWith("examples")) {
            String page = Files.readString(Examples.ROOT.resolve("examples/README.md"));
            assertTrue(page.contains("(" + file.getFileName() + ")"), file + " is not linked in examples/README.md");
        }
    }
}
