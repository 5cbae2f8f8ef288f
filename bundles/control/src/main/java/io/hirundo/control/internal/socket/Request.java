package io.hirundo.control.internal.socket;

import java.util.Optional;

/**
 * A line that who is attached to a run sends to it: a character that says what is requested, then text. What a user typed is only ever
 * the text, so that no typed line is taken for another kind of request.
 *
 * @param kind what is requested
 * @param text the rest of the line; never has a line break
 */
public record Request(Kind kind, String text) {
  /** What is requested. */
  public enum Kind {
    /** The text is a line of commands, to be run. */
    RUN('>'),
    /** The text is the beginning of a line; the candidates for its last word come as output. */
    COMPLETE('?');

    private final char verb;

    Kind(char verb) {
      this.verb = verb;
    }
  }

  /** Rejects text of several lines: each would be answered as a request of its own. */
  public Request {
    if (text.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("a request is one line");
    }
  }

  /** Reads a line; empty if it does not begin with a known character. */
  static Optional<Request> parse(String line) {
    for (Kind kind : Kind.values()) {
      if (!line.isEmpty() && line.charAt(0) == kind.verb) {
        return Optional.of(new Request(kind, line.substring(1)));
      }
    }
    return Optional.empty();
  }

  /** The line, without its end. */
  public String line() {
    return kind.verb + text;
  }
}
