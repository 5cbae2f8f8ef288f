package io.hirundo.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Pages, help, messages, comments and Javadoc use the field's words. {@code cnf/words} has the rejected phrases, the exceptions, and the source
 * folders and pages that are not yet clean: a list that can only shrink.
 */
class WordsTest {
  private static final Glossary GLOSSARY = Glossary.read();

  private final Set<String> notYet = new HashSet<>(Glossary.lines("not-yet.txt"));

  @Test
  void pagesUseTheFieldsWords() {
    var findings = new ArrayList<Finding>();
    var found = new TreeMap<String, List<Finding>>();
    Set<String> used = new HashSet<>();
    for (Path page : Repository.pages()) {
      Path name = Repository.relative(page);
      List<Finding> here = GLOSSARY.search(name, Repository.text(page)).stream().filter(finding -> !isAllowed(finding, used)).toList();
      if (!here.isEmpty() && notYet.contains(name.toString())) {
        found.put(name.toString(), here);
      } else {
        findings.addAll(here);
      }
    }
    assertEquals("", lines(findings));
    assertCleanOnesAreNotListed(found.keySet(), ".md", ".yaml");
    assertExceptionsAreUsed(used, false);
  }

  @Test
  void javaSourcesUseTheFieldsWords() {
    var findings = new ArrayList<Finding>();
    Set<String> dirty = new HashSet<>();
    Set<String> used = new HashSet<>();
    for (Path root : Repository.sourceRoots()) {
      String name = Repository.relative(root).toString();
      for (Path file : Repository.files(root, ".java")) {
        List<Finding> all = GLOSSARY.search(Repository.relative(file), JavaText.of(Repository.text(file)));
        List<Finding> here = all.stream().filter(finding -> !isAllowed(finding, used)).toList();
        if (!here.isEmpty() && notYet.contains(name)) {
          dirty.add(name);
          break;
        }
        findings.addAll(here);
      }
    }
    assertEquals("", lines(findings));
    assertCleanOnesAreNotListed(dirty, "/java");
    assertExceptionsAreUsed(used, true);
  }

  @Test
  void findsPhrasesAcrossLinesAndConcatenations() {
    String source =
        sample("/** It is\n * to|ld of\n *  the end, and go|es\n * on. */\nString s = \"ma|de-up \"\n  + \"tokens\"; int a|new = 1; // refusés");
    List<Finding> found = GLOSSARY.search(Path.of("A.java"), JavaText.of(source));
    assertEquals(
        Stream.of("is to|ld of", "go|es on", "ma|de-up tokens").map(WordsTest::sample).toList(), found.stream().map(Finding::phrase).toList());
    assertEquals(List.of(1, 3, 5), found.stream().map(Finding::line).toList());
    assertTrue(found.stream().noneMatch(finding -> finding.instead().equals("another word")), found::toString);
  }

  @Test
  void keepsWordsThatContainARejectedOne() {
    assertEquals(List.of(), GLOSSARY.search(Path.of("a.md"), "besides, newspaper, a go on-line shop, wishlist, nonrefusable, `x-wish`"));
  }

  /** This file is searched, too: its samples have a bar within each rejected phrase. */
  private static String sample(String marked) {
    return marked.replace("|", "");
  }

  /** An exception names file and phrase, separated by a colon and a blank; for instance the key of an output that programs read. */
  private static boolean isAllowed(Finding finding, Set<String> used) {
    for (String line : Glossary.lines("allowed.txt")) {
      if (line.equalsIgnoreCase(finding.file() + ": " + finding.phrase())) {
        used.add(line);
        return true;
      }
    }
    return false;
  }

  private static void assertExceptionsAreUsed(Set<String> used, boolean ofJava) {
    List<String> unused =
        Glossary.lines("allowed.txt").stream().filter(line -> line.contains(".java: ") == ofJava && !used.contains(line)).toList();
    assertEquals(List.of(), unused, "exceptions that nothing needs");
  }

  private void assertCleanOnesAreNotListed(Set<String> dirty, String... endings) {
    List<String> clean =
        notYet.stream().filter(name -> List.of(endings).stream().anyMatch(name::endsWith) && !dirty.contains(name)).sorted().toList();
    assertEquals(List.of(), clean, "clean or gone: remove from cnf/words/not-yet.txt");
  }

  private static String lines(List<Finding> findings) {
    return findings.stream().map(Finding::toString).collect(Collectors.joining("\n"));
  }
}
