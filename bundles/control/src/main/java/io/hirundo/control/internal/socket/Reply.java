package io.hirundo.control.internal.socket;

import io.hirundo.lib.input.Excerpt;
import java.util.OptionalInt;

/**
 * A line from a run to an attached client: a marker character, then text.
 *
 * @param kind of reply
 * @param text the rest of the line
 */
public record Reply(Kind kind, String text) {
    /** Longer than any line of a run. */
    private static final int MAX_TEXT_CHARS = 1 << 20;

    /** Kind of reply. */
    public enum Kind {
        /** The first line: the name of the run. */
        GREETING('*'),
        /** A command's output. */
        OUTPUT(' '),
        /** The last line of a command's answer: its exit code. */
        DONE('='),
        /** The last line of all: why the connection ends. */
        END('!');

        private final char mark;

        Kind(char mark) {
            this.mark = mark;
        }

        char mark() {
            return mark;
        }
    }

    /** Parses a line; one without a known marker is output. Control characters, which must not reach a terminal, are escaped. */
    public static Reply parse(String line) {
        for (Kind kind : Kind.values()) {
            if (!line.isEmpty() && line.charAt(0) == kind.mark) {
                return new Reply(kind, Excerpt.of(line.substring(1), MAX_TEXT_CHARS));
            }
        }
        return new Reply(Kind.OUTPUT, Excerpt.of(line, MAX_TEXT_CHARS));
    }

    /** The exit code, in a {@link Kind#DONE} reply. */
    public OptionalInt exitCode() {
        return kind == Kind.DONE && text.matches("\\d{1,3}")
                ? OptionalInt.of(Integer.parseInt(text))
                : OptionalInt.empty();
    }

    String line() {
        return kind.mark + text;
    }
}
