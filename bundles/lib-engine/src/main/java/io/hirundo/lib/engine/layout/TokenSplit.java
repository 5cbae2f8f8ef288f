package io.hirundo.lib.engine.layout;

import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.mesh.ProcessGroup;
import java.util.List;

/**
 * The tokens of each sequence that a rank holds.
 *
 * @param pieces chunk numbers, ascending
 * @param of number of equal chunks per sequence
 */
public record TokenSplit(List<Integer> pieces, int of) {
    public static final TokenSplit WHOLE = new TokenSplit(List.of(0), 1);

    public static TokenSplit of(Strategies.Parallel parallel, ProcessGroup context) {
        if (context.size() == 1) {
            return WHOLE;
        }
        List<Integer> pieces = parallel.context().pieces(context.rank(), context.size());
        return new TokenSplit(pieces, pieces.size() * context.size());
    }

    /** Tokens of a chunk. */
    public int pieceTokens(int sequenceTokens) {
        return sequenceTokens / of;
    }

    /** Tokens of a sequence on this rank. */
    public int localTokens(int sequenceTokens) {
        return pieceTokens(sequenceTokens) * pieces.size();
    }
}
