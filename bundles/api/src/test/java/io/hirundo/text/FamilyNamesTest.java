package io.hirundo.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Production code outside of a model family's bundle knows none: no identifier and no string has its name. Comments may, to cite papers, and
 * so may data files.
 */
class FamilyNamesTest {
  private static final Pattern FAMILY = Pattern.compile("(?i)llama|qwen|gemma|mistral");

  /** A comment, or a literal, in which {@code //} begins none. */
  private static final Pattern COMMENT_OR_LITERAL =
      Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*'");

  /** Files that have such a name for a reason. */
  private static final Map<String, String> EXCEPTIONS =
      Map.of(
          "lib-golden/PlainDecoder.java", "the same",
          "lib-golden/DecoderSettings.java", "a decoder for tests, which reads configurations without the code of any family",
          "lib-family/RopeFields.java", "llama3 is a value of rope_type in the configurations of several families",
          "tokenizer-hf/TrainTokenizerCommand.java", "help names the published tokenizer that splits words in this way",
          "trainer/AuditCommand.java", "help names a file of examples/",
          "trainer/PlanCommand.java", "help names a file of examples/");

  @Test
  void noProductionCodeOutsideOfFamiliesNamesOne() {
    var named = new TreeMap<String, String>();
    int families = 0;
    for (Path root : Repository.sourceRoots()) {
      String bundle = Repository.relative(root).getName(1).toString();
      families += bundle.startsWith("model-") && root.endsWith("src/main/java") ? 1 : 0;
      if (root.startsWith(Repository.ROOT.resolve("bundles")) && root.endsWith("src/main/java") && !bundle.startsWith("model-")) {
        for (Path file : Repository.files(root, ".java")) {
          List<String> names = names(Repository.text(file));
          if (!names.isEmpty()) {
            named.put(bundle + "/" + file.getFileName(), names.toString());
          }
        }
      }
    }
    assertTrue(families >= 3, families + " bundles of families");
    assertEquals(new TreeSet<>(EXCEPTIONS.keySet()), named.keySet(), named::toString);
  }

  private static List<String> names(String source) {
    String code = COMMENT_OR_LITERAL.matcher(source).replaceAll(FamilyNamesTest::kept);
    return FAMILY.matcher(code).results().map(MatchResult::group).distinct().toList();
  }

  private static String kept(MatchResult found) {
    return found.group().startsWith("/") ? " " : Matcher.quoteReplacement(found.group());
  }

  @Test
  void findsNamesInIdentifiersAndStringsButNotInComments() {
    assertEquals(List.of(), names("/** As in Llama. */ int a; // Qwen\nString url = \"https://example.org\";"));
    assertEquals(List.of("Llama", "qwen", "MISTRAL"), names("SmallLlama a = of(\"// qwen\"); /* Gemma */ int MISTRAL_WINDOW;"));
  }
}
