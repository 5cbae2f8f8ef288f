package io.hirundo.dataloader.internal.clean;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Finds the documentation comments of a Java source. What looks like one in a string or in another comment is none. */
final class DocComments {
    private static final Pattern MARGIN = Pattern.compile("(?m)^[ \\t]*\\*+ ?");

    private final String source;
    private final List<String> comments = new ArrayList<>();

    private DocComments(String source) {
        this.source = source;
    }

    /** The texts of the comments, in order, without their margins of asterisks. */
    static List<String> of(String source) {
        var found = new DocComments(source);
        for (int at = 0; at < source.length(); ) {
            at = found.next(at);
        }
        return found.comments;
    }

    /** Takes one token, and returns where the next begins. */
    private int next(int at) {
        if (source.startsWith("//", at)) {
            return after("\n", at);
        }
        if (source.startsWith("/*", at)) {
            int end = after("*/", at + 2);
            if (source.startsWith("/**", at) && end - at > "/***/".length()) {
                comments.add(MARGIN.matcher(source.substring(at + 3, Math.max(at + 3, end - 2)))
                        .replaceAll(""));
            }
            return end;
        }
        if (source.startsWith("\"\"\"", at)) {
            return after("\"\"\"", at + 3);
        }
        char sign = source.charAt(at);
        return sign == '"' || sign == '\'' ? afterQuote(sign, at + 1) : at + 1;
    }

    private int after(String mark, int from) {
        int found = source.indexOf(mark, from);
        return found < 0 ? source.length() : found + mark.length();
    }

    /** A line's end ends a literal that is not closed. */
    private int afterQuote(char quote, int from) {
        int at = from;
        while (at < source.length() && source.charAt(at) != quote && source.charAt(at) != '\n') {
            at += source.charAt(at) == '\\' ? 2 : 1;
        }
        return at + 1;
    }
}
