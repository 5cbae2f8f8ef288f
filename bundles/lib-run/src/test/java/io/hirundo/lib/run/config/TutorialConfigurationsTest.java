package io.hirundo.lib.run.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.lib.configuration.binding.ChoiceResolver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The configurations in tutorials are complete and equal the recipes that they explain. */
class TutorialConfigurationsTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern CONFIGURATION = Pattern.compile("(?ms)^```yaml\n(schemaVersion:.*?)^```");

    @TempDir
    private Path folder;

    static List<Path> tutorials() throws IOException {
        try (Stream<Path> found = Files.list(ROOT.resolve("docs/tutorials"))) {
            return found.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void everyTutorialHasAConfiguration() throws IOException {
        assertTrue(tutorials().size() >= 4);
        for (Path tutorial : tutorials()) {
            assertEquals(1, configurations(tutorial).size(), tutorial::toString);
        }
    }

    @ParameterizedTest
    @MethodSource("tutorials")
    void bindToTheRecords(Path tutorial) throws IOException {
        for (String text : configurations(tutorial)) {
            assertFalse(bound(text).isEmpty());
        }
    }

    @ParameterizedTest
    @CsvSource({"own-text.md, own-text.yaml", "continue-a-llama.md, continue-japanese.yaml"})
    void equalTheRecipesTheyExplain(String tutorial, String recipe) throws IOException {
        String printed =
                configurations(ROOT.resolve("docs/tutorials").resolve(tutorial)).getFirst();
        assertEquals(bound(Files.readString(ROOT.resolve("examples").resolve(recipe))), bound(printed));
    }

    private static List<String> configurations(Path tutorial) throws IOException {
        return CONFIGURATION
                .matcher(Files.readString(tutorial))
                .results()
                .map((MatchResult result) -> result.group(1))
                .toList();
    }

    private String bound(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("configuration.yaml"), text);
        return ConfigurationBinder.json(new ConfigurationBinder(ChoiceResolver.unchecked()).read(file, List.of()));
    }
}
