package io.hirundo.lib.inference.sampling;

/**
 * Incremental detokenization: returns the text of generated tokens in pieces that can be printed. A token can end inside a UTF-8 character,
 * which decodes to U+FFFD until its last byte arrives. So trailing U+FFFD characters are held back while they can still become a valid
 * character.
 */
final class PrintableText {
    private static final char REPLACEMENT = '\uFFFD';

    /** A UTF-8 character has at most four bytes, and some decoders return one U+FFFD for each byte of an incomplete character. */
    private static final int MAXIMUM_HELD_CHARS = 3;

    private String text = "";
    private int printed;

    /**
     * Returns the text that is complete and not yet printed.
     *
     * @param decoded the text of all tokens so far
     */
    String add(String decoded) {
        text = decoded;
        int held = 0;
        while (held < Math.min(MAXIMUM_HELD_CHARS, text.length())
                && text.charAt(text.length() - 1 - held) == REPLACEMENT) {
            held++;
        }
        return upTo(text.length() - held);
    }

    /** Returns the held-back text at the end of generation. */
    String rest() {
        return upTo(text.length());
    }

    private String upTo(int end) {
        String more = text.substring(Math.min(printed, end), end);
        printed = Math.max(printed, end);
        return more;
    }
}
