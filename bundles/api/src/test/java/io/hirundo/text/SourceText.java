package io.hirundo.text;

/** A source file in Java, C++ or CUDA without its code, or without its comments and literals. What is left out becomes blanks. */
final class SourceText {
    private final String source;
    private final StringBuilder text;
    private final boolean isCode;
    private int at;

    private SourceText(String source, boolean isCode) {
        this.source = source;
        this.isCode = isCode;
        this.text = new StringBuilder(source.length());
    }

    /** Comments and string literals, at their places. */
    static String of(String source) {
        return new SourceText(source, false).read();
    }

    /** The code, at its place. */
    static String codeOf(String source) {
        return new SourceText(source, true).read();
    }

    private String read() {
        while (at < source.length()) {
            if (source.startsWith("//", at)) {
                // Without its slashes, so that phrases continue on the next line of a comment.
                blank(2);
                copyTo(lineEnd());
            } else if (source.startsWith("/*", at)) {
                copyTo(behind("*/", at + 2));
            } else if (source.startsWith("\"\"\"", at)) {
                blank(3);
                copyTo(behind("\"\"\"", at) - 3);
                blank(3);
            } else if (source.charAt(at) == '"' || source.charAt(at) == '\'') {
                literal(source.charAt(at));
            } else {
                code();
            }
        }
        return text.toString();
    }

    private void literal(char quote) {
        blank(1);
        while (at < source.length() && source.charAt(at) != quote && source.charAt(at) != '\n') {
            if (source.charAt(at) == '\\') {
                blank(2);
            } else {
                copyTo(at + 1);
            }
        }
        blank(1);
    }

    private int lineEnd() {
        int end = source.indexOf('\n', at);
        return end < 0 ? source.length() : end;
    }

    private int behind(String mark, int from) {
        int found = source.indexOf(mark, from);
        return found < 0 ? source.length() : found + mark.length();
    }

    private void copyTo(int end) {
        if (isCode) {
            blank(end - at);
        } else {
            text.append(source, at, end);
            at = end;
        }
    }

    private void code() {
        if (isCode) {
            text.append(source.charAt(at++));
        } else {
            blank(1);
        }
    }

    private void blank(int count) {
        for (int end = Math.min(source.length(), at + count); at < end; at++) {
            text.append(source.charAt(at) == '\n' ? '\n' : ' ');
        }
    }
}
