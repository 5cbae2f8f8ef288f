package io.hirundo.tokenizerhf.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Cuts a long text where it makes no difference to its tokens, so that encoding a document of many megabytes needs the
 * memory of one, about a hundred bytes a character.
 *
 * <p>With the word patterns below, a border between a line feed and a character that is no white space separates the words
 * of both sides, and neither side's words depend on the other: no alternative that takes a line feed takes anything but
 * white space after it; and the one that looks ahead, {@code \s+(?!\S)}, is only tried on white space without a line
 * break, because {@code \s*[\r\n]+} is tried first. Byte-pair merges never cross words.
 */
public final class SafeBorders {
  /** GPT-4's words with digits in threes, as Llama 3 has them. */
  public static final String LLAMA3_WORDS =
      "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

  /** The same with every digit alone. */
  private static final String QWEN2_WORDS = LLAMA3_WORDS.replace("{1,3}", "");

  private static final Set<String> PATTERNS = Set.of(LLAMA3_WORDS, QWEN2_WORDS);

  private static final int PIECE_CHARS = 1 << 20;

  private SafeBorders() {}

  /** Whether a text may be cut where its words are those of this pattern. */
  static boolean hold(String wordPattern) {
    return PATTERNS.contains(wordPattern);
  }

  /** Pieces of about a million characters, longer where there is no such border; the text itself where it is short. */
  public static List<String> split(String text) {
    return split(text, PIECE_CHARS);
  }

  static List<String> split(String text, int pieceChars) {
    if (text.length() <= pieceChars) {
      return List.of(text);
    }
    var pieces = new ArrayList<String>();
    int begin = 0;
    while (text.length() - begin > pieceChars) {
      int border = borderFrom(text, begin + pieceChars);
      pieces.add(text.substring(begin, border));
      begin = border;
    }
    if (begin < text.length()) {
      pieces.add(text.substring(begin));
    }
    return pieces;
  }

  private static int borderFrom(String text, int from) {
    int line = text.indexOf('\n', from);
    while (line >= 0 && line + 1 < text.length()) {
      if (isSolid(text.codePointAt(line + 1))) {
        return line + 1;
      }
      line = text.indexOf('\n', line + 1);
    }
    return text.length();
  }

  /** Certainly no white space, in whichever version of Unicode. */
  private static boolean isSolid(int codePoint) {
    return Character.isLetterOrDigit(codePoint) || codePoint > ' ' && codePoint < 0x7F;
  }
}
