package io.hirundo.checkpoint.support;

/**
 * Quotes text from a file in an error message: on one line and short, because a foreign file may contain anything. Bundles use
 * {@code Excerpt} of lib-input, which {@code api} does not import.
 */
final class Quoted {
  private static final int MAX_CHARS = 100;

  private Quoted() {}

  static String of(String value) {
    String shown = value.length() <= MAX_CHARS ? value : value.substring(0, MAX_CHARS) + "... (" + value.length() + " characters)";
    return shown.replaceAll("\\p{Cntrl}", "?");
  }
}
