package io.hirundo.parallelcp.internal;

import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.parallel.ContextParallel;
import java.util.List;

/**
 * Gives each rank two chunks of every sequence, one from the front and one from the back, which balances the causal attention
 * work (Llama 3, Grattafiori et al. 2024, arXiv 2407.21783, section 3.3.2).
 */
final class BalancedContext implements ContextParallel {
    /** Chunks of every sequence on one rank. */
    static final int CHUNKS = 2;

    /** Makes the attention of one rank. */
    @FunctionalInterface
    interface Factory {
        AttentionCore create(ProcessGroup group, Heads heads, AttentionOptions options);
    }

    private final Factory attention;

    BalancedContext(Factory attention) {
        this.attention = attention;
    }

    /** Index in its sequence of a rank's first (0) or second (1) chunk. */
    static int piece(int rank, int ranks, int index) {
        return index == 0 ? rank : CHUNKS * ranks - 1 - rank;
    }

    @Override
    public List<Integer> pieces(int rank, int ranks) {
        return List.of(piece(rank, ranks, 0), piece(rank, ranks, 1));
    }

    /** Balanced: only the first and the last rank have chunks at an end of the sequence, or next to each other. */
    @Override
    public int workKind(int rank, int ranks) {
        return rank == 0 ? 0 : rank == ranks - 1 ? 2 : 1;
    }

    @Override
    public AttentionCore attention(ProcessGroup group, Heads heads, AttentionOptions options) {
        return attention.create(group, heads, options);
    }
}
