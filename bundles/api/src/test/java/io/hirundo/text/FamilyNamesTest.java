package io.hirundo.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Production code outside of a model family's bundle knows none: no identifier and no string has its name. Comments may, to cite papers, and
 * so may data files.
 */
class FamilyNamesTest {
    private static final Pattern FAMILY = Pattern.compile("(?i)[\\w-]*(?:llama|qwen|gemma|mistral)[\\w-]*");

    /** A comment, or a literal, in which {@code //} begins none. */
    private static final Pattern COMMENT_OR_LITERAL = Pattern.compile(
            "(?s)/\\*.*?\\*/|//[^\\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*'");

    /** Words that a file has for a reason. */
    private record Allowed(String file, Set<String> words, String reason) {}

    private static final List<Allowed> ALLOWED = List.of(
            new Allowed(
                    "lib-golden/PlainDecoder.java",
                    Set.of("isGemma"),
                    "a decoder for tests, which computes families without the code of any"),
            new Allowed(
                    "lib-golden/DecoderSettings.java",
                    Set.of("isGemma", "llama", "mistral", "qwen2", "qwen3", "gemma2", "llama3"),
                    "settings of a decoder for tests, which reads configurations without the code of any family"),
            new Allowed(
                    "lib-family/RopeFields.java",
                    Set.of("llama3"),
                    "llama3 is a value of rope_type in the configurations of several families"),
            new Allowed(
                    "tokenizer-hf/TrainTokenizerCommand.java",
                    Set.of("Llama"),
                    "help names the published tokenizer that splits words in this way"),
            new Allowed(
                    "testkit/InertStrategies.java",
                    Set.of("llama"),
                    "stands for the architecture of configurations in tests"),
            new Allowed("planner/AuditCommand.java", Set.of("llama-3-8b"), "help names a file of examples/"),
            new Allowed(
                    "lib-configuration/NearNames.java",
                    Set.of("llama", "llama2", "llama3", "gemma", "gemma2", "mistral"),
                    "hints for names that other programs use"),
            new Allowed("planner/PlanCommand.java", Set.of("llama-3"), "help names a file of examples/"));

    @Test
    void noProductionCodeOutsideOfFamiliesNamesOne() {
        var named = new TreeMap<String, Set<String>>();
        int families = 0;
        for (Path root : Repository.sourceRoots()) {
            String bundle = Repository.relative(root).getName(1).toString();
            families += bundle.startsWith("model-") && root.endsWith("src/main/java") ? 1 : 0;
            if (root.startsWith(Repository.ROOT.resolve("bundles"))
                    && root.endsWith("src/main/java")
                    && !bundle.startsWith("model-")) {
                for (Path file : Repository.files(root, ".java")) {
                    Set<String> names = names(Repository.text(file));
                    if (!names.isEmpty()) {
                        named.put(bundle + "/" + file.getFileName(), names);
                    }
                }
            }
        }
        assertTrue(families >= 3, families + " bundles of families");
        assertEquals(ALLOWED.stream().collect(Collectors.toMap(Allowed::file, Allowed::words)), named);
    }

    private static Set<String> names(String source) {
        String code = COMMENT_OR_LITERAL.matcher(source).replaceAll(FamilyNamesTest::kept);
        return FAMILY.matcher(code).results().map(MatchResult::group).collect(Collectors.toSet());
    }

    private static String kept(MatchResult found) {
        return found.group().startsWith("/") ? " " : Matcher.quoteReplacement(found.group());
    }

    @Test
    void findsNamesInIdentifiersAndStringsButNotInComments() {
        assertEquals(Set.of(), names("/** As in Llama. */ int a; // Qwen\nString url = \"https://example.org\";"));
        assertEquals(
                Set.of("SmallLlama", "qwen", "MISTRAL_WINDOW"),
                names("SmallLlama a = of(\"// qwen\"); /* Gemma */ int MISTRAL_WINDOW;"));
    }
}
