package io.hirundo.trainer.internal.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.lib.configuration.binding.ChoiceResolver;
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

    @ParameterizedTest
    @MethodSource("files")
    void isNamedInTheReadme(Path file) throws IOException {
        if (file.getParent().endsWith("examples")) {
            String page = Files.readString(Examples.ROOT.resolve("examples/README.md"));
            assertTrue(page.contains("(" + file.getFileName() + ")"), file + " is not linked in examples/README.md");
        }
    }
}
