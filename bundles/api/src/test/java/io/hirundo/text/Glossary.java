package io.hirundo.text;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The rejected phrases of a file in {@code cnf/words}, and a search for them. */
final class Glossary {
    private static final int ASCII = 128;

    private final List<Rule> rules;
    private final Pattern any;

    /** Whether a phrase begins with two characters: most words do not, and are never compared with the rules. */
    private final boolean[] begins = new boolean[ASCII * ASCII];

    Glossary(List<Rule> rules) {
        this.rules = List.copyOf(rules);
        this.any = Pattern.compile(
                rules.stream().map(Rule::expression).collect(Collectors.joining("|", "(?:", ")(?![\\w-])")),
                Pattern.CASE_INSENSITIVE);
        for (int pair = 0; pair < begins.length; pair++) {
            Matcher matcher = any.matcher("" + (char) (pair / ASCII) + (char) (pair % ASCII));
            begins[pair] = matcher.lookingAt() || matcher.hitEnd();
        }
    }

    /** The rules of {@code rejected.txt} or {@code identifiers.txt}. */
    static Glossary read(String name) {
        return new Glossary(lines(name).stream().map(Rule::parse).toList());
    }

    /** Lines of a file in {@code cnf/words} without comments and empty ones. */
    static List<String> lines(String name) {
        try {
            return Files.readAllLines(Repository.ROOT.resolve("cnf/words").resolve(name)).stream()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
        } catch (IOException missing) {
            throw new UncheckedIOException(missing);
        }
    }

    /** Findings in a text, which has a line break wherever its file has one. */
    List<Finding> search(Path file, String text) {
        var found = new ArrayList<Finding>();
        Matcher matcher = any.matcher(text).useTransparentBounds(true);
        int line = 1;
        boolean inWord = false;
        for (int at = 0; at + 1 < text.length(); at++) {
            char c = text.charAt(at);
            line += c == '\n' ? 1 : 0;
            if (!inWord
                    && begins(c, text.charAt(at + 1))
                    && matcher.region(at, text.length()).lookingAt()) {
                found.add(
                        new Finding(file, line, matcher.group().replaceAll("[\\s*>]+", " "), instead(matcher.group())));
            }
            inWord = Character.isLetterOrDigit(c) || c == '-' || c == '_';
        }
        return found;
    }

    private boolean begins(char first, char second) {
        return first < ASCII && second < ASCII && begins[first * ASCII + second];
    }

    private String instead(String phrase) {
        return rules.stream()
                .filter(rule -> rule.matches(phrase))
                .findFirst()
                .map(Rule::instead)
                .orElse("another word");
    }
}
