package io.hirundo.control.internal.command;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Reads a prompt line character by character, without recursion. Blanks separate words; {@code ;} separates commands. A
 * quoted text ends at the next quote of its kind and is taken literally, except that inside double quotes {@code \"} and
 * {@code \\} are escapes. Text that starts with {@code [} or <code>{</code> extends to its closing bracket, including blanks
 * and quotes, because it is a JSON or YAML value. {@code #} at the start of a line makes it a comment.
 *
 * <p>Also reads partly typed lines, for completion.
 */
public final class LineScanner {
    /** Characters with a meaning in shells and none here; inside quotes they are text. */
    private static final String MEANS_NOTHING = "|&<>$`\\";

    private final String line;
    private final List<List<String>> commands = new ArrayList<>();
    private List<String> words = new ArrayList<>();

    /** Null between words. */
    private StringBuilder word;

    private int wordStart;

    /** The closing brackets that are still missing. */
    private final Deque<Character> closing = new ArrayDeque<>();

    /** The open quote, or 0. */
    private char quote;

    /** The last character that was not blank: inside brackets, a quote opens a text only where a value can start. */
    private char before;

    private LineScanner(String line) {
        this.line = line;
        this.wordStart = line.length();
    }

    /**
     * Reads a line.
     *
     * @throws MisunderstoodException for a character in an invalid position
     */
    public static LineScanner scan(String line) {
        LineScanner scanner = new LineScanner(line);
        if (!line.stripLeading().startsWith("#")) {
            for (int at = 0; at < line.length(); at++) {
                at += scanner.read(at);
            }
        }
        return scanner;
    }

    /** The commands of a complete line. */
    List<List<String>> commands() {
        List<List<String>> all = new ArrayList<>(commands);
        List<String> last = typed();
        if (word == null) {
            last.removeLast();
        }
        if (!last.isEmpty()) {
            all.add(last);
        }
        return all;
    }

    /** The words of the last command; the last word, possibly empty, is incomplete. */
    List<String> typed() {
        List<String> typed = new ArrayList<>(words);
        typed.add(word == null ? "" : word.toString());
        return typed;
    }

    /** Index where the incomplete word starts; the line's length between words. */
    public int wordStart() {
        return word == null ? line.length() : wordStart;
    }

    /** Whether every quote and bracket is closed. */
    boolean isComplete() {
        return quote == 0 && closing.isEmpty();
    }

    void requireComplete() {
        if (quote != 0) {
            throw new MisunderstoodException("a quote is not closed: the line ends inside " + quote);
        }
        if (!closing.isEmpty()) {
            throw new MisunderstoodException("a bracket is not closed: the line lacks " + closing.peek());
        }
    }

    /** Consumes a character; returns how many further ones belong to it. */
    private int read(int at) {
        char c = line.charAt(at);
        int more = 0;
        if (quote != 0) {
            more = quoted(c, at);
        } else if (!closing.isEmpty()) {
            bracketed(c);
        } else {
            plain(c, at);
        }
        if (!Character.isWhitespace(c)) {
            before = c;
        }
        return more;
    }

    private int quoted(char c, int at) {
        boolean escape = c == '\\' && quote == '"' && at + 1 < line.length();
        if (!closing.isEmpty()) {
            // Keep the value's own quotes for the parser of the value.
            word.append(c);
            if (escape) {
                word.append(line.charAt(at + 1));
                return 1;
            }
        } else if (escape && "\"\\".indexOf(line.charAt(at + 1)) >= 0) {
            word.append(line.charAt(at + 1));
            return 1;
        } else if (c != quote) {
            word.append(c);
        }
        if (c == quote) {
            quote = 0;
        }
        return 0;
    }

    private void bracketed(char c) {
        word.append(c);
        switch (c) {
            case '[', '{' -> open(c);
            case ']', '}' -> {
                if (closing.pop() != c) {
                    throw new MisunderstoodException("brackets do not match: " + c + " closes a different bracket");
                }
            }
            case '\'', '"' -> {
                if (canBeginValue(before)) {
                    quote = c;
                }
            }
            default -> {
                // Part of the value.
            }
        }
    }

    /** Whether a quote after this character and blanks opens a text; elsewhere it is an apostrophe. */
    static boolean canBeginValue(char before) {
        return "[{,:".indexOf(before) >= 0;
    }

    private void plain(char c, int at) {
        if (Character.isWhitespace(c)) {
            endWord();
            return;
        }
        if (c == ';') {
            endWord();
            if (!words.isEmpty()) {
                commands.add(words);
            }
            words = new ArrayList<>();
            return;
        }
        if (MEANS_NOTHING.indexOf(c) >= 0) {
            throw new MisunderstoodException("a line holds commands separated by ;, and " + c
                    + " has no meaning there; if it belongs to a value, quote" + " the value");
        }
        if (c == ']' || c == '}') {
            throw new MisunderstoodException("closing bracket without an opening one: " + c);
        }
        if (word == null) {
            word = new StringBuilder();
            wordStart = at;
        }
        switch (c) {
            case '\'', '"' -> quote = c;
            case '[', '{' -> {
                word.append(c);
                open(c);
            }
            default -> word.append(c);
        }
    }

    private void open(char bracket) {
        closing.push(bracket == '[' ? ']' : '}');
    }

    private void endWord() {
        if (word != null) {
            words.add(word.toString());
            word = null;
        }
    }
}
