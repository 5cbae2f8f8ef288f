package io.hirundo.data;

import java.util.Arrays;
import java.util.OptionalInt;

/**
 * The tokens around each document of a dataset.
 *
 * @param begin id before a document; empty for none
 * @param end id after a document; empty for none
 */
public record DocumentFrame(OptionalInt begin, OptionalInt end) {
    /** No tokens around documents. */
    public static final DocumentFrame NONE = new DocumentFrame(OptionalInt.empty(), OptionalInt.empty());

    /**
     * The tokenizer's begin and end of a text. If both are one id, it is only an end: what precedes a document is then the end of the
     * document before.
     */
    public static DocumentFrame of(Tokenizer tokenizer) {
        OptionalInt end = tokenizer.endOfText();
        OptionalInt begin = tokenizer.beginOfText();
        return new DocumentFrame(begin.equals(end) ? OptionalInt.empty() : begin, end);
    }

    /** The tokens of a document: {@code text} with begin and end. */
    public int[] around(int[] text) {
        int before = begin.isPresent() ? 1 : 0;
        int[] tokens = Arrays.copyOf(text, before + text.length + (end.isPresent() ? 1 : 0));
        System.arraycopy(text, 0, tokens, before, text.length);
        begin.ifPresent(id -> tokens[0] = id);
        end.ifPresent(id -> tokens[tokens.length - 1] = id);
        return tokens;
    }
}
