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

    private static final int MAX_EXIT_CODE = 255;

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

    /**
     * Parses a line. Control characters, which must not reach a terminal, are escaped.
     *
     * @throws NoRunException if a run sends no such line
     */
    public static Reply parse(String line) throws NoRunException {
        for (Kind kind : Kind.values()) {
            if (!line.isEmpty() && line.charAt(0) == kind.mark) {
                return checked(new Reply(kind, Excerpt.of(line.substring(1), MAX_TEXT_CHARS)));
            }
        }
        throw new NoRunException(
                "a reply is '" + Excerpt.of(line) + "' (allowed: a line that begins with '*', ' ', '=' or '!')");
    }

    private static Reply checked(Reply reply) throws NoRunException {
        if (reply.kind == Kind.DONE && reply.exitCode().isEmpty()) {
            throw new NoRunException(
                    "the exit code of a command is '" + Excerpt.of(reply.text) + "' (allowed: 0 to 255)");
        }
        return reply;
    }

    /** The exit code, in a {@link Kind#DONE} reply; empty if it is none. */
    public OptionalInt exitCode() {
        if (kind != Kind.DONE || !text.matches("[0-9]{1,3}")) {
            return OptionalInt.empty();
        }
        int code = Integer.parseInt(text);
        return code <= MAX_EXIT_CODE ? OptionalInt.of(code) : OptionalInt.empty();
    }

    String line() {
        return kind.mark + text;
    }
}
