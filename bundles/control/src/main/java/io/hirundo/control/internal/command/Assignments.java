package io.hirundo.control.internal.command;

import io.hirundo.lib.input.Excerpt;
import io.hirundo.train.StrategyInUse;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Parses the words after {@code set} as {@code path=value} assignments. */
final class Assignments {
    private static final Pattern ASSIGNMENT = Pattern.compile("[\\w.-]+=");

    private Assignments() {}

    /** Joins blanks around an equals sign; expands short names of strategies in use to paths. */
    static List<String> of(List<String> words, List<StrategyInUse> used) {
        if (words.isEmpty()) {
            throw new MisunderstoodException(
                    "set needs at least one PATH=VALUE; type: set learningRate.options.peak=0.001");
        }
        return joined(words).stream()
                .map(assignment -> withPath(assignment, used))
                .toList();
    }

    /** Joins {@code a = 1}, {@code a =1} and {@code a= 1} to {@code a=1}. */
    private static List<String> joined(List<String> words) {
        List<String> joined = new ArrayList<>();
        for (String word : words) {
            joined.add(!joined.isEmpty() && belongTogether(joined.getLast(), word) ? joined.removeLast() + word : word);
        }
        return joined;
    }

    private static boolean belongTogether(String word, String next) {
        if (next.startsWith("=")) {
            return word.indexOf('=') < 0;
        }
        return word.endsWith("=")
                && word.indexOf('=') == word.length() - 1
                && !ASSIGNMENT.matcher(next).lookingAt();
    }

    private static String withPath(String assignment, List<StrategyInUse> used) {
        int equals = assignment.indexOf('=');
        if (equals < 1) {
            throw new MisunderstoodException("'" + Excerpt.of(assignment)
                    + "' is not PATH=VALUE; quote a value that contains blanks, for example: set run.name='a b'");
        }
        return SettingPaths.of(assignment.substring(0, equals).strip(), used) + assignment.substring(equals);
    }
}
