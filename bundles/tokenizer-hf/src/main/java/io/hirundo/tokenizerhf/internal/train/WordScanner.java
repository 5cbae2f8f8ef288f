package io.hirundo.tokenizerhf.internal.train;

import java.util.function.Consumer;

/**
 * Cuts text into words as the pattern {@link io.hirundo.tokenizerhf.internal.SafeBorders#WORDS} does, several times
 * as fast as a regular expression. Its alternatives are tried in their order, one method each.
 */
final class WordScanner {
    private enum Kind {
        LETTER,
        NUMBER,
        BREAK,
        SPACE,
        OTHER
    }

    private final String text;
    private int at;

    private WordScanner(String text) {
        this.text = text;
    }

    /** Gives every word to the consumer, in order; together they are the text. */
    static void scan(String text, Consumer<String> words) {
        var scanner = new WordScanner(text);
        while (scanner.at < text.length()) {
            int begin = scanner.at;
            scanner.at = scanner.end();
            words.accept(text.substring(begin, scanner.at));
        }
    }

    private int end() {
        int end = contraction();
        if (end < 0) {
            end = letters();
        }
        if (end < 0) {
            end = digits();
        }
        if (end < 0) {
            end = signs();
        }
        return end < 0 ? space() : end;
    }

    /** {@code (?i:'s|'t|'re|'ve|'m|'ll|'d)}. */
    private int contraction() {
        if (text.charAt(at) != '\'' || at + 1 == text.length()) {
            return -1;
        }
        int first = text.charAt(at + 1) | 0x20;
        if (first == 's' || first == 't' || first == 'm' || first == 'd') {
            return at + 2;
        }
        if (at + 2 == text.length()) {
            return -1;
        }
        int second = text.charAt(at + 2) | 0x20;
        boolean whole = second == 'e' && (first == 'r' || first == 'v') || second == 'l' && first == 'l';
        return whole ? at + 3 : -1;
    }

    /** {@code [^\r\n\p{L}\p{N}]?\p{L}+}. */
    private int letters() {
        Kind first = kind(at);
        int from = at;
        if (first == Kind.SPACE || first == Kind.OTHER) {
            from = after(at);
        }
        int end = run(from, Kind.LETTER, Integer.MAX_VALUE);
        return end > from ? end : -1;
    }

    /** {@code \p{N}{1,3}}. */
    private int digits() {
        int end = run(at, Kind.NUMBER, 3);
        return end > at ? end : -1;
    }

    /** {@code ?[^\s\p{L}\p{N}]+[\r\n]*}, with a space before the question mark. */
    private int signs() {
        int from = text.charAt(at) == ' ' ? at + 1 : at;
        int end = run(from, Kind.OTHER, Integer.MAX_VALUE);
        return end > from ? run(end, Kind.BREAK, Integer.MAX_VALUE) : -1;
    }

    /** {@code \s*[\r\n]+|\s+(?!\S)|\s+}. */
    private int space() {
        int end = at;
        int afterBreak = -1;
        while (end < text.length() && (kind(end) == Kind.SPACE || kind(end) == Kind.BREAK)) {
            if (kind(end) == Kind.BREAK) {
                afterBreak = end + 1;
            }
            end++;
        }
        if (afterBreak >= 0) {
            return afterBreak;
        }
        // The last space before a word belongs to the word.
        return end < text.length() && end - at > 1 ? end - 1 : end;
    }

    private int run(int from, Kind kind, int longest) {
        int end = from;
        for (int count = 0; count < longest && end < text.length() && kind(end) == kind; count++) {
            end = after(end);
        }
        return end;
    }

    private int after(int index) {
        return index + Character.charCount(text.codePointAt(index));
    }

    private Kind kind(int index) {
        return index < text.length() ? kindOf(text.codePointAt(index)) : null;
    }

    private static Kind kindOf(int point) {
        return switch (Character.getType(point)) {
            case Character.UPPERCASE_LETTER,
                    Character.LOWERCASE_LETTER,
                    Character.TITLECASE_LETTER,
                    Character.MODIFIER_LETTER,
                    Character.OTHER_LETTER -> Kind.LETTER;
            case Character.DECIMAL_DIGIT_NUMBER, Character.LETTER_NUMBER, Character.OTHER_NUMBER -> Kind.NUMBER;
            case Character.SPACE_SEPARATOR, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> Kind.SPACE;
            case Character.CONTROL ->
                switch (point) {
                    case '\n', '\r' -> Kind.BREAK;
                    case '\t', 0x0B, '\f', 0x85 -> Kind.SPACE;
                    default -> Kind.OTHER;
                };
            default -> Kind.OTHER;
        };
    }
}
