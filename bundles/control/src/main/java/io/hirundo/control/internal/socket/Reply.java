package io.hirundo.control.internal.socket;

import java.util.OptionalInt;

/**
 * A line that a run sends to who is attached to it: a character that says what it is, then text.
 *
 * @param kind what it is
 * @param text the rest of the line
 */
public record Reply(Kind kind, String text) {
  /** What a line is. */
  public enum Kind {
    /** The first line: the name of the run. */
    GREETING('*'),
    /** What a command says. */
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

  /** Reads a line; what has no known mark is output. */
  public static Reply parse(String line) {
    for (Kind kind : Kind.values()) {
      if (!line.isEmpty() && line.charAt(0) == kind.mark) {
        return new Reply(kind, line.substring(1));
      }
    }
    return new Reply(Kind.OUTPUT, line);
  }

  /** The exit code, in a {@link Kind#DONE} that is one. */
  public OptionalInt exitCode() {
    return kind == Kind.DONE && text.matches("\\d{1,3}") ? OptionalInt.of(Integer.parseInt(text)) : OptionalInt.empty();
  }

  String line() {
    return kind.mark + text;
  }
}
