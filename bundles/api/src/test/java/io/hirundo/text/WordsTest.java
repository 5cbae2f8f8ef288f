package io.hirundo.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Pages, help, messages, comments, Javadoc and names use the field's words. {@code cnf/words} has what is rejected, and the exceptions. */
class WordsTest {
    private static final Glossary GLOSSARY = Glossary.read("rejected.txt");
    private static final Glossary OF_NAMES = Glossary.read("identifiers.txt");

    @Test
    void pagesUseTheFieldsWords() {
        var findings = new ArrayList<Finding>();
        Repository.pages()
                .forEach(page -> findings.addAll(GLOSSARY.search(Repository.relative(page), Repository.text(page))));
        assertOnlyExceptions(findings, allowed(false));
    }

    @Test
    void sourcesUseTheFieldsWords() {
        var findings = new ArrayList<Finding>();
        Repository.sources()
                .forEach(file -> findings.addAll(
                        GLOSSARY.search(Repository.relative(file), SourceText.of(Repository.text(file)))));
        assertOnlyExceptions(findings, allowed(true));
    }

    @Test
    void namesUseTheFieldsWords() {
        var findings = new ArrayList<Finding>();
        Repository.sources().stream()
                .filter(file ->
                        file.toString().endsWith(".java") && !file.toString().contains("/src/test/"))
                .forEach(file -> findings.addAll(
                        Identifiers.search(OF_NAMES, Repository.relative(file), Repository.text(file))));
        assertOnlyExceptions(findings, new TreeSet<>(Glossary.lines("allowed-identifiers.txt")));
    }

    @Test
    void findsRejectedWordsInDeclaredNames() {
        String source = sample("""
                import io.hirundo.Keep;
                // int told
                class EventHub<T> {
                    enum Kind { ROOM_FOR_NEWS, b }
                    private final Wi|shes keep = "patience";
                    void tellOthers(int hopCount, List<Keep> shop) { b.told(KeepLast::wi|sh); map((waysOut, ab) -> hopCount); }
                    record Keep(int untold) {}
                    interface KeepLast {}
                }
                """);
        List<Finding> found = Identifiers.search(OF_NAMES, Path.of("A.java"), source);
        assertEquals(
                List.of("EventHub", "ROOM_FOR_NEWS", "tellOthers", "hopCount", "waysOut", "Keep"),
                found.stream().map(Finding::phrase).toList());
        assertEquals(
                List.of(3, 4, 6, 6, 6, 7), found.stream().map(Finding::line).toList());
        assertEquals("remedies", found.get(4).instead());
    }

    /** Markdown shows the markers of a merge as text, so nothing else finds them. */
    @Test
    void pagesHaveNoMarkersOfAMerge() {
        List<Path> merged = Repository.pages().stream()
                .filter(page -> Repository.text(page)
                        .lines()
                        .anyMatch(line -> line.startsWith("<".repeat(7) + " ") || line.startsWith(">".repeat(7) + " ")))
                .toList();
        assertEquals(List.of(), merged);
    }

    @Test
    void findsPhrasesAcrossLinesAndConcatenations() {
        String source = sample(
                "/** It is\n * to|ld of\n *  the end, and go|es\n * on. */\nString s = \"ma|de-up \"\n  + \"tokens, 8-|bit codes\"; int a|new = 1; // refusés");
        List<Finding> found = GLOSSARY.search(Path.of("A.java"), SourceText.of(source));
        assertEquals(
                Stream.of("is to|ld of", "go|es on", "ma|de-up tokens", "8-|bit codes")
                        .map(WordsTest::sample)
                        .toList(),
                found.stream().map(Finding::phrase).toList());
        assertEquals(List.of(1, 3, 5, 6), found.stream().map(Finding::line).toList());
        assertTrue(found.stream().noneMatch(finding -> finding.instead().equals("another word")), found::toString);
    }

    @Test
    void keepsWordsThatContainARejectedOne() {
        assertEquals(
                List.of(),
                GLOSSARY.search(
                        Path.of("a.md"), "besides, newspaper, a go on-line shop, wishlist, nonrefusable, `x-wish`"));
    }

    /** This file is searched, too: its samples have a bar within each rejected phrase. */
    private static String sample(String marked) {
        return marked.replace("|", "");
    }

    private static Set<String> allowed(boolean inSources) {
        return Glossary.lines("allowed.txt").stream()
                .filter(line -> line.contains(".java: ") == inSources)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** An exception names file and phrase, separated by a colon and a blank; for instance the key of an output that programs read. */
    private static void assertOnlyExceptions(List<Finding> findings, Set<String> allowed) {
        Set<String> unused = new TreeSet<>(allowed);
        var rejected = new ArrayList<String>();
        for (Finding finding : findings) {
            String exception = finding.file() + ": " + finding.phrase().toLowerCase(Locale.ROOT);
            unused.remove(exception);
            if (!allowed.contains(exception)) {
                rejected.add(finding.toString());
            }
        }
        assertEquals("", String.join("\n", rejected));
        assertEquals(Set.of(), unused, "exceptions that nothing needs");
    }
}
