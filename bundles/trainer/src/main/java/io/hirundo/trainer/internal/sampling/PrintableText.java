package io.hirundo.trainer.internal.sampling;

/**
 * The text of tokens that come one by one, in pieces that can be printed. A token can end within a character of UTF-8, which decodes
 * to U+FFFD until the rest of it comes: the end of the text is held back for as long as that is possible, and no longer.
 */
final class PrintableText {
  private static final char REPLACEMENT = '\uFFFD';

  /** Bytes of a character without its last one: some decoders make a replacement character of each. */
  private static final int MOST_HELD_CHARS = 3;

  private String text = "";
  private int printed;

  /**
   * What can be printed now.
   *
   * @param decoded all tokens so far
   */
  String add(String decoded) {
    text = decoded;
    int held = 0;
    while (held < Math.min(MOST_HELD_CHARS, text.length()) && text.charAt(text.length() - 1 - held) == REPLACEMENT) {
      held++;
    }
    return upTo(text.length() - held);
  }

  /** What was held back, when no token follows. */
  String rest() {
    return upTo(text.length());
  }

  private String upTo(int end) {
    String more = text.substring(Math.min(printed, end), end);
    printed = Math.max(printed, end);
    return more;
  }
}
