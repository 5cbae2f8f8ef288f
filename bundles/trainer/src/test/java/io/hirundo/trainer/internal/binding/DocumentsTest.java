package io.hirundo.trainer.internal.binding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocumentsTest {
  @TempDir Path folder;

  private static String refusal(String text, boolean isYaml) {
    return assertThrows(ConfigurationException.class, () -> Documents.parse("c", text, isYaml)).getMessage();
  }

  @Test
  void valuesKeepTheirTypeAndOrder() {
    Map<String, Object> json =
        Documents.parse("c", "{\"z\":1,\"a\":[1.50,true,null,\"t\",99999999999999999999],\"m\":{\"k\":-2}}", false);
    assertEquals(List.of("z", "a", "m"), List.copyOf(json.keySet()));
    assertEquals(
        Arrays.asList(new BigDecimal("1.50"), true, null, "t", new BigDecimal("99999999999999999999")), json.get("a"));
    assertEquals(Map.of("k", -2L), json.get("m"));
  }

  @Test
  void yamlIsReadAsJsonIs() {
    String yaml = "z: 1\na: [1.50, true, null, t, 99999999999999999999]\nm:\n  k: -2\n";
    assertEquals(
        Documents.parse("c", "{\"z\":1,\"a\":[1.50,true,null,\"t\",99999999999999999999],\"m\":{\"k\":-2}}", false),
        Documents.parse("c", yaml, true));
  }

  @Test
  void yamlWordsStayWords() {
    assertEquals(
        Map.of("a", "no", "b", "on", "c", "2026-01-01", "d", "1f1b", "e", "1:30", "f", "12"),
        Documents.parse("c", "{a: no, b: on, c: 2026-01-01, d: 1f1b, e: 1:30, f: '12'}", true));
  }

  @Test
  void onlyNumbersThatEverybodyReadsAlikeAreNumbers() {
    assertEquals(
        Map.of("a", 5L, "b", new BigDecimal("0.5"), "c", new BigDecimal("1"), "d", new BigDecimal("1E+3"), "e", 0L),
        Documents.parse("c", "{a: +5, b: .5, c: 1., d: 1e3, e: -0}", true));
    for (String number : List.of("010", "1_000", "0x10", "0b11", "00.5", "1_0.5_0", ".inf")) {
      assertEquals(
          "c, line 1: " + number
              + " is not a plain number; allowed: digits without leading zeros, underscores or prefixes",
          refusal("a: " + number, true));
    }
    assertEquals("c, line 1: 1e99999999999 is out of range", refusal("a: 1e99999999999", true));
    assertEquals("c, line 1: 1e99999999999 is out of range", refusal("{\"a\": 1e99999999999}", false));
  }

  @Test
  void aByteOrderMarkIsPassedOver() {
    assertEquals(Map.of("a", 1L), Documents.parse("c", "\uFEFF{\"a\":1}", false));
    assertEquals(Map.of("a", 1L), Documents.parse("c", "\uFEFFa: 1", true));
  }

  @Test
  void aliasesAreWrittenOut() {
    assertEquals(
        Map.of("a", List.of(1L, 2L), "b", List.of(1L, 2L), "c", Map.of("d", "x"), "e", Map.of("d", "x")),
        Documents.parse("c", "a: &list [1, 2]\nb: *list\nc: &t {d: x}\ne: *t\n", true));
  }

  @Test
  void aliasesCannotGrowWithoutBound() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 9; i++) {
      String alias = "*a" + (i - 1);
      bomb.append("a" + i + ": &a" + i + " [" + String.join(", ", java.util.Collections.nCopies(10, alias)) + "]\n");
    }
    assertEquals("c, line 5: there are more than 100000 values", refusal(bomb.toString(), true));
  }

  @Test
  void unknownAndUnfinishedAnchorsAreRefused() {
    String message = "c, line 1: alias *b names no list or object before it; allowed: those, other values written out";
    assertEquals(message, refusal("a: *b", true));
    assertEquals(message, refusal("a: &b [*b]", true));
    assertEquals(message, refusal("{a: &b 1, c: *b}", true));
  }

  @Test
  void tagsAreRefused() {
    assertEquals(
        "c, line 1: the tag tag:yaml.org,2002:javax.script.ScriptEngineManager is not allowed; allowed: values without tags",
        refusal("a: !!javax.script.ScriptEngineManager [x]", true));
  }

  @Test
  void repeatedKeysAreRefused() {
    assertEquals("c, line 2: Duplicate field 'a'", refusal("{\"a\": 1,\n \"a\": 2}", false));
    assertEquals("c, line 2: Duplicate field 'a'", refusal("a: 1\na: 2", true));
  }

  @Test
  void brokenDocumentsAreRefusedWithTheirLine() {
    assertEquals(
        "c, line 2: Unexpected character ('}' (code 125)): was expecting double-quote to start field name",
        refusal("{\"a\": 1,\n}", false));
    assertEquals("c, line 2: mapping values are not allowed here", refusal("a: 1\n  b: 2", true));
    assertEquals("c, line 1: there is something after the end of the document", refusal("{} {}", false));
    assertEquals("c, line 3: there is something after the end of the document", refusal("a: 1\n---\nb: 2", true));
  }

  @Test
  void onlyObjectsAreConfigurations() {
    String message = "c: is not an object; allowed: keys with values, run: {name: x} for instance";
    assertEquals(message, refusal("", true));
    assertEquals(message, refusal("", false));
    assertEquals(message, refusal("[1]", false));
    assertEquals(message, refusal("hello", true));
  }

  @Test
  void filesAreReadByTheirName() throws Exception {
    Path yaml = Files.writeString(folder.resolve("c.YAML"), "a: ü");
    assertEquals(Map.of("a", "ü"), Documents.read(yaml));
    Path json = Files.writeString(folder.resolve("c.json"), "{\"a\":\"ü\"}");
    assertEquals(Map.of("a", "ü"), Documents.read(json));
  }

  @Test
  void filesThatCannotBeReadAreNamed() throws Exception {
    assertRefused(folder.resolve("none.json"), ": no such file");
    assertRefused(folder.resolve("none"), ": no such file");
    assertRefused(folder, ": is a folder; give the configuration file in it");
    Path inRun = Files.writeString(folder.resolve("config.json"), "{}");
    assertRefused(folder, ": is a folder; give " + inRun);
    assertRefused(
        Files.writeString(folder.resolve("c.toml"), ""),
        ": cannot tell JSON from YAML; allowed: names that end in .json, .yaml or .yml");
    assertRefused(
        Files.write(folder.resolve("latin.json"), "{\"a\":\"ü\"}".getBytes(StandardCharsets.ISO_8859_1)),
        ": cannot be read as UTF-8 text: java.nio.charset.MalformedInputException: Input length = 1");
    assertRefused(
        Files.write(folder.resolve("huge.json"), new byte[(4 << 20) + 1]),
        ": has 4194305 bytes; allowed: at most 4194304");
  }

  private static void assertRefused(Path file, String message) {
    assertEquals(
        file + message, assertThrows(ConfigurationException.class, () -> Documents.read(file)).getMessage());
  }
}
