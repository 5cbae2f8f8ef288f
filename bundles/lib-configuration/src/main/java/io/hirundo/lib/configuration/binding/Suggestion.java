package io.hirundo.lib.configuration.binding;

import io.hirundo.command.ShellLine;
import io.hirundo.lib.input.Excerpt;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TreeSet;

/** Suggests the known word for a misspelled one, or for the name that other programs use. */
public final class Suggestion {
    /** Longer words are not compared: the edit distance costs the product of both lengths, and no known name is nearly as long. */
    private static final int LONGEST_WORD = 200;

    /** Maximum characters of a known name. A longer word matches none, so the error shows no list. */
    private static final int LONGEST_NAME = 40;

    /** Maximum characters of the list of allowed words in an error. */
    private static final int LONGEST_LIST = 240;

    private Suggestion() {}

    /** The text after "unknown": the probable word and all allowed words. */
    public static String among(String word, Collection<String> known) {
        if (known.isEmpty()) {
            return "none is allowed here";
        }
        String all = ShellLine.of("config", "reference");
        if (Excerpt.of(word).length() > LONGEST_NAME) {
            return "to print all that are allowed: " + all;
        }
        String allowed = "allowed: " + listed(known, all);
        return nearest(word, known)
                .map(near -> "did you mean \"" + near + "\"? " + allowed)
                .orElse(allowed);
    }

    /** Joins the words. A long list is cut, and the command that prints all words is added. */
    private static String listed(Collection<String> known, String printsAll) {
        String all = String.join(", ", known);
        if (all.length() <= LONGEST_LIST) {
            return all;
        }
        var first = new StringJoiner(", ");
        int shown = 0;
        for (String each : known) {
            if (shown > 0 && first.length() + each.length() > LONGEST_LIST) {
                break;
            }
            first.add(each);
            shown++;
        }
        return first + " and " + (known.size() - shown) + " more; to print all: " + printsAll;
    }

    static Optional<String> nearest(String word, Collection<String> known) {
        if (word.length() > LONGEST_WORD) {
            return Optional.empty();
        }
        Optional<String> meant = NearNames.of(word, known);
        if (meant.isPresent()) {
            return meant;
        }
        int limit = Math.max(1, word.length() / 3);
        return new TreeSet<>(known)
                .stream().filter(k -> distance(word, k) <= limit).min(Comparator.comparingInt(k -> distance(word, k)));
    }

    /** Optimal string alignment distance: insertions, deletions, substitutions and transpositions of adjacent characters, ignoring case. */
    private static int distance(String first, String second) {
        String a = first.toLowerCase(Locale.ROOT);
        String b = second.toLowerCase(Locale.ROOT);
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(replaced, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
