package io.hirundo.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every kind of strategy has a project of {@code plugin new}, and every project a test, a row in the table of kinds, and a section. */
class PluginKindsTest {
    private static final Path PROJECTS =
            Repository.ROOT.resolve("bundles/plugin-new/src/main/resources/io/hirundo/pluginnew/internal/project");

    /** Kinds of strategies whose projects have a shorter name. */
    private static final Map<String, String> PROJECT =
            Map.of("architecture", "model", "checkpoint-store", "store", "model-format", "format");

    /** A command is no strategy, and the kernels of our bundles belong to devices. */
    private static final Set<String> NO_STRATEGY_OF_OURS = Set.of("command", "kernels");

    private static Set<String> projects() throws IOException {
        try (Stream<Path> files = Files.list(PROJECTS)) {
            return files.filter(Files::isDirectory)
                    .map(folder -> folder.getFileName().toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Set<String> found(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void everyKindOfStrategyHasAProject() throws IOException {
        var kinds = new TreeSet<>(NO_STRATEGY_OF_OURS);
        for (Path root : Repository.sourceRoots()) {
            if (root.endsWith("src/main/java")) {
                for (Path file : Repository.files(root, ".java")) {
                    found("(?m)^@HirundoStrategy\\(kind = \"([a-z-]+)\"", Repository.text(file))
                            .forEach(kind -> kinds.add(PROJECT.getOrDefault(kind, kind)));
                }
            }
        }
        assertEquals(projects(), kinds);
    }

    @Test
    void everyProjectHasATest() throws IOException {
        for (String kind : projects()) {
            long contracts = Repository.files(PROJECTS.resolve(kind), "Test.java").stream()
                    .filter(file -> Repository.text(file).contains("\n@HirundoContract\n"))
                    .count();
            assertTrue(contracts > 0, kind);
        }
    }

    @Test
    void everyProjectIsDocumented() throws IOException {
        String page = Repository.text(Repository.ROOT.resolve("docs/plugins.md"));
        String table = page.substring(page.indexOf("\n## Kinds\n"), page.indexOf("\n## Build against the API\n"));
        assertEquals(projects(), found("(?m)^\\| `([a-z-]+)` \\|", table), "rows of the table of kinds");
        assertEquals(projects(), found("plugin new [a-z0-9-]+ --kind ([a-z-]+)", page), "commands in sections");
    }
}
