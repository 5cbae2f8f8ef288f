package io.hirundo.lib.input;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Shortens file contents for error messages, because a name of 5,000 characters or 100,000 dimensions would hide the message. */
public final class Excerpt {
    /** Longer texts are shortened. Tensor and setting names are well below this limit; a line with two quotes stays below 400. */
    public static final int MAX_CHARS = 110;

    private static final int HEAD_CHARS = 60;
    private static final int TAIL_CHARS = 20;
    private static final int MAX_ELEMENTS = 8;

    private Excerpt() {}

    /**
     * The text on one line, without control characters. Long text keeps its start and end, and the number of omitted characters.
     */
    public static String of(String text) {
        return of(text, MAX_CHARS, HEAD_CHARS, TAIL_CHARS);
    }

    /** Like {@link #of(String)} with another limit; for messages that quote several names. */
    public static String of(String text, int maxChars) {
        return of(text, maxChars, maxChars / 3 * 2, maxChars / 3);
    }

    /** The limits count displayed characters: an escaped control character takes six. */
    private static String of(String text, int maxChars, int headChars, int tailChars) {
        if (text.length() <= maxChars) {
            String shown = printable(text);
            if (shown.length() <= maxChars) {
                return shown;
            }
        }
        int head = 0;
        for (int shown = 0; head < text.length(); head += Character.charCount(text.codePointAt(head))) {
            shown += printable(text.codePointAt(head)).length();
            if (shown > headChars) {
                break;
            }
        }
        int tail = text.length();
        for (int shown = 0; tail > head; tail -= Character.charCount(text.codePointBefore(tail))) {
            shown += printable(text.codePointBefore(tail)).length();
            if (shown > tailChars) {
                break;
            }
        }
        return printable(text.substring(0, head))
                + String.format(Locale.ROOT, "...(%,d more characters)...", tail - head)
                + printable(text.substring(tail));
    }

    /** A list as {@code [a, b, c]}. A long list shows its first elements and its length. */
    public static String of(List<?> values) {
        String shown = values.stream()
                .limit(MAX_ELEMENTS)
                .map(value -> of(String.valueOf(value)))
                .collect(Collectors.joining(", "));
        return values.size() <= MAX_ELEMENTS
                ? "[" + shown + "]"
                : String.format(Locale.ROOT, "[%s, ...] (%,d in all)", shown, values.size());
    }

    /** The complete text with control characters escaped, line breaks too: they must not reach a terminal, or begin a line of a log. */
    public static String printable(String text) {
        StringBuilder printable = new StringBuilder(text.length());
        text.codePoints().forEach(c -> printable.append(printable(c)));
        return printable.toString();
    }

    private static String printable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.SURROGATE,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> String.format(Locale.ROOT, "\\u%04x", c);
            default -> Character.toString(c);
        };
    }
}
