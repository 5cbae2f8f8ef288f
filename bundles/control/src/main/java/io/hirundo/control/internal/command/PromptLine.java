package io.hirundo.control.internal.command;

import java.util.List;

/**
 * A line of the prompt: commands with {@code ;} between them, each of them a name and plain words, and nothing else. There are
 * no variables, no substitutions, no pipes and no background jobs: what a line can reach is the registered commands.
 *
 * @param commands each with at least one word, without quotes
 */
public record PromptLine(List<List<String>> commands) {
  /** Enough for a blend of many datasets. */
  public static final int MAX_BYTES = 1 << 16;

  /** More than any setting has; what reads the values of settings may recurse. */
  private static final int MAX_DEPTH = 32;

  public PromptLine {
    commands = commands.stream().map(List::copyOf).toList();
  }

  /**
   * Takes a line apart.
   *
   * @throws MisunderstoodException if it is not a line of commands; says how it is meant
   */
  static PromptLine parse(String line) {
    // Characters are at most as many as bytes, which the socket counts.
    if (line.length() > MAX_BYTES) {
      throw new MisunderstoodException("a line has more than " + MAX_BYTES + " bytes; split it into several");
    }
    LineScanner scanner = LineScanner.scan(line);
    scanner.requireComplete();
    scanner.commands().forEach(command -> command.forEach(PromptLine::requireShallow));
    return new PromptLine(scanner.commands());
  }

  /**
   * Counts opening brackets inside quotes, too: a parser that reads quotes in another way may see them. Closing brackets inside quotes
   * do not count: they would hide the depth of what follows.
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
        throw new MisunderstoodException("a value has more than " + MAX_DEPTH + " brackets inside each other");
      }
    }
  }
}
