package io.hirundo.tokenizerhf.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Splits a long text where the split does not change its tokens, so that encoding a document of many megabytes does not need memory for
 * all of it at once (about a hundred bytes per character).
 *
 * <p>With the word patterns below, a border between a line feed and a non-space character separates words, and the words on each side do
 * not depend on the other side. Every alternative that matches a line feed matches only white space after it. The one with a lookahead,
 * {@code \s+(?!\S)}, only runs on white space without a line break, because {@code \s*[\r\n]+} is tried first. BPE merges never cross
 * words.
 */
public final class SafeBorders {
    /** GPT-4's word pattern with digits in groups of three, as in Llama 3. */
    public static final String WORDS_WITH_DIGIT_TRIPLES =
            "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

    /** The same with single digits, as in Qwen 2. */
    private static final String WORDS_WITH_SINGLE_DIGITS = WORDS_WITH_DIGIT_TRIPLES.replace("{1,3}", "");

    private static final Set<String> PATTERNS = Set.of(WORDS_WITH_DIGIT_TRIPLES, WORDS_WITH_SINGLE_DIGITS);

    private static final int PIECE_CHARS = 1 << 20;

    private SafeBorders() {}

    /** Whether texts can be split at safe borders with this word pattern. */
    static boolean hold(String wordPattern) {
        return PATTERNS.contains(wordPattern);
    }

    /** Chunks of about a million characters, longer without a safe border; a short text is one chunk. */
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

    /** Not white space in any version of Unicode. */
    private static boolean isSolid(int codePoint) {
        return Character.isLetterOrDigit(codePoint) || codePoint > ' ' && codePoint < 0x7F;
    }
}
