package io.hirundo.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Settings, commands and tests that pages name exist. */
class DocumentedTest {
    private static final Pattern SET = Pattern.compile("--set\\s+['\"]?([a-z][A-Za-z]*(?:\\.[A-Za-z][A-Za-z]*)*)=");
    private static final Pattern MENTIONED = Pattern.compile(
            "`((?:audit|checkpoint|data|evaluation|fingerprints|mesh|model|run|samples|swap|training)\\.[a-z][A-Za-z.]*)`");

    /** Files that are named like settings. */
    private static final Pattern FILE = Pattern.compile(".*\\.jsonl?");

    private static final Pattern OPTION = Pattern.compile("(?m)^.*?\\b([a-z][A-Za-z]*)\\s*[,)]");
    private static final Pattern SETTING = Pattern.compile("(?m)^\\| `([A-Za-z0-9.\\[\\]]+)` \\|");
    private static final Pattern RUN = Pattern.compile("\\./hirundo(?: --profile [a-z]+)? ([a-z][a-z-]*)");
    private static final Pattern TEST = Pattern.compile("`([A-Z][A-Za-z0-9]*(?:Test|IT))`");
    private static final Pattern COMMAND = Pattern.compile("Command\\.PATH \\+ \"=([a-z-]+)");

    @Test
    void settingsExist() {
        Set<String> known = settings();
        assertTrue(known.size() > 100, () -> known.size() + " settings");
        Set<String> options = options();
        var unknown = new ArrayList<String>();
        for (Path page : Repository.markdown()) {
            String text = page.toString().contains("docs/design/") ? "" : Repository.text(page);
            for (Pattern pattern : List.of(SET, MENTIONED)) {
                found(pattern, text).stream()
                        .filter(path -> !FILE.matcher(path).matches() && !isKnown(path, known, options))
                        .forEach(path -> unknown.add(Repository.relative(page) + ": " + path));
            }
        }
        assertEquals("", String.join("\n", unknown));
    }

    @Test
    void commandsExist() {
        Set<String> known = Repository.sourceRoots().stream()
                .filter(root -> root.endsWith("src/main/java"))
                .flatMap(root -> Repository.files(root, "Command.java").stream())
                .flatMap(file -> found(COMMAND, Repository.text(file)).stream())
                .collect(Collectors.toSet());
        assertTrue(known.contains("train") && known.contains("checkpoint"), known::toString);
        var unknown = new ArrayList<String>();
        for (Path page : Repository.markdown()) {
            found(RUN, Repository.text(page)).stream()
                    .filter(name -> !known.contains(name))
                    .forEach(name -> unknown.add(Repository.relative(page) + ": " + name));
        }
        assertEquals("", String.join("\n", unknown));
    }

    /** Acme's are those of the project that a tutorial writes. */
    @Test
    void testsExist() {
        Set<String> known = Repository.sourceRoots().stream()
                .flatMap(root -> Repository.files(root, ".java").stream())
                .map(file -> file.getFileName().toString().replace(".java", ""))
                .collect(Collectors.toSet());
        var unknown = new ArrayList<String>();
        for (Path page : Repository.markdown()) {
            found(TEST, Repository.text(page)).stream()
                    .filter(name -> !name.startsWith("Acme") && !known.contains(name))
                    .forEach(name -> unknown.add(Repository.relative(page) + ": " + name));
        }
        assertEquals("", String.join("\n", unknown));
    }

    /** A setting, a section or strategy that has it, or an option of some strategy: {@code data.source.options.verify}. */
    static boolean isKnown(String path, Set<String> known, Set<String> options) {
        int at = path.indexOf(".options.");
        if (at >= 0) {
            String option = path.substring(at + ".options.".length());
            return known.contains(path.substring(0, at))
                    && (known.contains(option) || options.contains(option.replaceAll("\\..*", "")));
        }
        return known.contains(path) || known.stream().anyMatch(setting -> setting.startsWith(path + "."));
    }

    /** Settings and options of the profile of docs/configuration.md. */
    static Set<String> settings() {
        return found(SETTING, Repository.text(Repository.ROOT.resolve("docs/configuration.md")));
    }

    /** Options of all strategies, also of those that the profile of docs/configuration.md lacks. */
    static Set<String> options() {
        return Repository.sourceRoots().stream()
                .flatMap(root -> Repository.files(root, "Options.java").stream())
                .flatMap(file -> found(OPTION, Repository.text(file)).stream())
                .collect(Collectors.toSet());
    }

    private static Set<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult result) -> result.group(1))
                .collect(Collectors.toSet());
    }
}
