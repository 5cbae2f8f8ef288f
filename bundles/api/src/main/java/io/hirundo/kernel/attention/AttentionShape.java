package io.hirundo.kernel.attention;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * Shape, mask and scores of one causal attention.
 *
 * @param sequences B
 * @param queryTokens query tokens of each sequence, S
 * @param keyTokens key tokens of each sequence
 * @param heads the heads
 * @param causalOffset query i attends to key j if {@code j <= i + causalOffset}; 0 if queries and keys start at the same token,
 *     at least {@code keyTokens} for no mask. With a window it is the distance from the first key to the first query
 * @param documents masks keys of earlier documents: key j is masked if {@code firstKey + j} is before the start of the query's
 *     document. Empty if a sequence is one document
 * @param options scale and cap of scores; with a window, key j is masked if {@code j <= i + causalOffset - window}
 */
public record AttentionShape(
        int sequences,
        int queryTokens,
        int keyTokens,
        Heads heads,
        int causalOffset,
        Optional<DocumentBounds> documents,
        AttentionOptions options) {
    /** Without options. */
    public AttentionShape(
            int sequences,
            int queryTokens,
            int keyTokens,
            Heads heads,
            int causalOffset,
            Optional<DocumentBounds> documents) {
        this(sequences, queryTokens, keyTokens, heads, causalOffset, documents, AttentionOptions.NONE);
    }

    /** Without document mask. */
    public AttentionShape(int sequences, int queryTokens, int keyTokens, Heads heads, int causalOffset) {
        this(sequences, queryTokens, keyTokens, heads, causalOffset, Optional.empty());
    }

    /** Self-attention: queries and keys are the same tokens. */
    public static AttentionShape causal(int sequences, int tokens, Heads heads) {
        return new AttentionShape(sequences, tokens, tokens, heads, 0);
    }

    /** The same with a document mask. */
    public AttentionShape within(DocumentBounds bounds) {
        return new AttentionShape(sequences, queryTokens, keyTokens, heads, causalOffset, Optional.of(bounds), options);
    }

    /** The same with options. */
    public AttentionShape with(AttentionOptions others) {
        return new AttentionShape(sequences, queryTokens, keyTokens, heads, causalOffset, documents, others);
    }

    /**
     * The options without those that change nothing at this shape: a window that hides no key, and the scale that heads of this size have
     * anyway. Kernels without options serve what is left empty, so a short sequence keeps the fast ones.
     */
    public AttentionOptions effectiveOptions() {
        boolean hasWindow = firstInWindow(queryTokens - 1) > 0;
        boolean hasScale = options.scale(heads) != AttentionOptions.NONE.scale(heads);
        return new AttentionOptions(
                hasScale ? options.scale() : OptionalDouble.empty(),
                options.softCap(),
                hasWindow ? options.window() : OptionalInt.empty());
    }

    /** The first key in the window of a query, 0 without a window; may be past the last key. */
    public int firstInWindow(int query) {
        if (options.window().isEmpty()) {
            return 0;
        }
        return (int) Math.clamp((long) query + causalOffset - options.window().getAsInt() + 1, 0L, Integer.MAX_VALUE);
    }
}
