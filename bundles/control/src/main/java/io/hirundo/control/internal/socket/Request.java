package io.hirundo.control.internal.socket;

import java.util.Optional;

/**
 * A line from an attached client to a run: a marker character, then text. Typed text always follows the marker, so it cannot
 * imitate another kind of request.
 *
 * @param kind of request
 * @param text the rest of the line; never has a line break
 */
public record Request(Kind kind, String text) {
    /** Kind of request. */
    public enum Kind {
        /** The text is a line of commands to run. */
        RUN('>'),
        /** The text is a partly typed line; the candidates for its last word are sent as output. */
        COMPLETE('?');

        private final char verb;

        Kind(char verb) {
            this.verb = verb;
        }
    }

    /** Rejects text of several lines: the run would answer each as a separate request. */
    public Request {
        if (text.indexOf('\n') >= 0) {
            throw new IllegalArgumentException("a request is one line");
        }
    }

    /** Parses a line; empty if it does not start with a known marker. */
    static Optional<Request> parse(String line) {
        for (Kind kind : Kind.values()) {
            if (!line.isEmpty() && line.charAt(0) == kind.verb) {
                return Optional.of(new Request(kind, line.substring(1)));
            }
        }
        return Optional.empty();
    }

    /** The line, without its line break. */
    public String line() {
        return kind.verb + text;
    }
}
