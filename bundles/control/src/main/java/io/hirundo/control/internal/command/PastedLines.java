package io.hirundo.control.internal.command;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits text of several lines, pasted or given as one argument, into command lines. A line break inside quotes or brackets
 * becomes a blank, so that users can paste a formatted JSON object.
 */
public final class PastedLines {
    private PastedLines() {}

    /** The command lines, none of them blank. An unclosed value takes all remaining text; running that line reports it. */
    public static List<String> of(String text) {
        List<String> lines = new ArrayList<>();
        String open = "";
        for (String physical :
                text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList()) {
            String line = open.isEmpty() ? physical : open + " " + physical;
            if (isOpen(line)) {
                open = line;
            } else {
                lines.add(line);
                open = "";
            }
        }
        if (!open.isEmpty()) {
            lines.add(open);
        }
        return lines;
    }

    /** Whether a quote or a bracket is unclosed. False for an invalid or too long line: running it reports the error. */
    private static boolean isOpen(String line) {
        if (line.length() > PromptLine.MAX_BYTES) {
            return false;
        }
        try {
            return !LineScanner.scan(line).isComplete();
        } catch (MisunderstoodException senseless) {
            return false;
        }
    }
}
