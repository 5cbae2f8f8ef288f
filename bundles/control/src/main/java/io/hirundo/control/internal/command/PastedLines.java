package io.hirundo.control.internal.command;

import java.util.ArrayList;
import java.util.List;

/**
 * Text of several lines, pasted into a prompt or given as one argument, as the lines of commands that it holds. A line break inside
 * quotes or brackets belongs to a value and becomes a blank, so that a JSON object can be pasted as it is formatted.
 */
public final class PastedLines {
  private PastedLines() {}

  /** The lines of commands, none of them blank. A value that is not closed takes the rest: the answer to that line will say so. */
  public static List<String> of(String text) {
    List<String> lines = new ArrayList<>();
    String open = "";
    for (String physical : text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList()) {
      String line = open.isEmpty() ? physical : open + " " + physical;
      if (isOpen(line)) {
        open = line;
      } else {
        lines.add(line);
        open = "";
      }
    }
    if (!open.isEmpty()) {
      lines.add(open);
    }
    return lines;
  }

  /** Whether a quote or a bracket is still to be closed. A line that makes no sense, or is too long, is left to its answer. */
  private static boolean isOpen(String line) {
    if (line.length() > PromptLine.MAX_BYTES) {
      return false;
    }
    try {
      return !LineScanner.scan(line).isComplete();
    } catch (MisunderstoodException senseless) {
      return false;
    }
  }
}
