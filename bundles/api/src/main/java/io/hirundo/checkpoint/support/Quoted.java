package io.hirundo.checkpoint.support;

/** What a file says, in an error line: on one line, and short, because a file from elsewhere may hold anything. */
final class Quoted {
  private static final int MAX_CHARS = 100;

  private Quoted() {}

  static String of(String value) {
    String shown = value.length() <= MAX_CHARS ? value : value.substring(0, MAX_CHARS) + "... (" + value.length() + " characters)";
    return shown.replaceAll("\\p{Cntrl}", "?");
  }
}
