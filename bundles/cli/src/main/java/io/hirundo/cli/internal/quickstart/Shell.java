package io.hirundo.cli.internal.quickstart;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes a command so that it can be pasted into a shell. */
final class Shell {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

  private Shell() {}

  static String quote(List<String> words) {
    return words.stream().map(Shell::quote).collect(Collectors.joining(" "));
  }

  private static String quote(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
