package io.hirundo.control.internal.command;

import java.util.List;

/**
 * A parsed line of the prompt: commands separated by {@code ;}, each a name and words. There are no variables, substitutions,
 * pipes or background jobs: a line can only reach registered commands.
 *
 * @param commands each with at least one word, without quotes
 */
public record PromptLine(List<List<String>> commands) {
    /** Large enough for a blend of many datasets. */
    public static final int MAX_BYTES = 1 << 16;

    /** Deeper than any setting; bounds the recursion of value parsers. */
    private static final int MAX_DEPTH = 32;

    public PromptLine {
        commands = commands.stream().map(List::copyOf).toList();
    }

    /**
     * Parses a line.
     *
     * @throws MisunderstoodException if the syntax is invalid; the message shows the right syntax
     */
    static PromptLine parse(String line) {
        // A line has at most as many characters as bytes; the socket counts bytes.
        if (line.length() > MAX_BYTES) {
            throw new MisunderstoodException("a line has more than " + MAX_BYTES + " bytes; split it into several");
        }
        LineScanner scanner = LineScanner.scan(line);
        scanner.requireComplete();
        scanner.commands().forEach(command -> command.forEach(PromptLine::requireShallow));
        return new PromptLine(scanner.commands());
    }

    /**
     * Counts opening brackets inside quotes too, because a value parser may treat quotes differently. Ignores closing brackets
     * inside quotes: they would hide the depth of the rest.
     */
    private static void requireShallow(String word) {
        int depth = 0;
        char quote = 0;
        char before = 0;
        for (int at = 0; at < word.length(); at++) {
            char c = word.charAt(at);
            if (c == '[' || c == '{') {
                depth++;
            } else if (quote == '"' && c == '\\') {
                at++;
            } else if (quote != 0) {
                quote = c == quote ? 0 : quote;
            } else if (c == ']' || c == '}') {
                depth--;
            } else if ((c == '"' || c == '\'') && LineScanner.canBeginValue(before)) {
                quote = c;
            }
            before = Character.isWhitespace(c) ? before : c;
            if (depth > MAX_DEPTH) {
                throw new MisunderstoodException("a value has more than " + MAX_DEPTH + " nested brackets");
            }
        }
    }
}
