package io.hirundo.lib.terminal;

/** Text in lines of at most {@value #COLUMNS} columns, as help has. */
public final class WrappedText {
    /** The width of help and tables. */
    public static final int COLUMNS = 80;

    private WrappedText() {}

    /**
     * Breaks a text at blanks, without an end of line. Longer words stay complete, so that paths and commands can be copied.
     *
     * @param indent blanks before each line but the first
     */
    public static String of(String text, int indent) {
        var lines = new StringBuilder();
        int line = 0;
        int at = 0;
        while (text.length() - at > COLUMNS - line) {
            // The blanks at the begin of a line belong to it.
            int first = at;
            while (first < text.length() && text.charAt(first) == ' ') {
                first++;
            }
            int blank = text.lastIndexOf(' ', at + COLUMNS - line);
            if (blank <= first) {
                blank = text.indexOf(' ', first);
            }
            if (blank < 0) {
                break;
            }
            lines.append(text.substring(at, blank).stripTrailing()).append('\n').append(" ".repeat(indent));
            at = blank + 1;
            line = indent;
        }
        return lines.append(text, at, text.length()).toString();
    }
}
