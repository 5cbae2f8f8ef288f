package io.hirundo.cli.internal;

import java.util.ArrayList;
import java.util.List;

/** Examples of a help text: a command that is longer than a line continues on the next one, as a shell reads it. */
final class ExampleLines {
    private static final String CONTINUED = " \\";
    private static final String INDENT = "      ";

    private ExampleLines() {}

    /** Breaks lines at spaces outside of quotes. A line without such a space stays long. */
    static List<String> within(int columns, String... lines) {
        var within = new ArrayList<String>();
        for (String line : lines) {
            String rest = line;
            // The help has one column less, so that a terminal adds no empty row.
            for (int at = breakOf(rest, columns - 1); at >= 0; at = breakOf(rest, columns - 1)) {
                within.add(rest.substring(0, at) + CONTINUED);
                rest = INDENT + rest.substring(at + 1);
            }
            within.add(rest);
        }
        return within;
    }

    /**
     * The last space where the line can break, before an option or an operator of the shell if there is one, so that an option keeps its
     * value; -1 if the line fits or has no such space.
     */
    private static int breakOf(String line, int most) {
        if (line.length() <= most) {
            return -1;
        }
        int begin = line.length() - line.stripLeading().length();
        int last = -1;
        int beforeOption = -1;
        char quote = 0;
        for (int at = begin; at <= most - CONTINUED.length(); at++) {
            char c = line.charAt(at);
            if (quote != 0) {
                quote = c == quote ? 0 : quote;
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else if (c == ' ') {
                last = at;
                beforeOption = "-&|>".indexOf(line.charAt(at + 1)) >= 0 ? at : beforeOption;
            }
        }
        return beforeOption > begin ? beforeOption : last;
    }
}
