package io.hirundo.parallelcp.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.DocumentBounds;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Pairs of query and key chunks of two ranks. With a causal mask, queries attend fully to earlier chunks and not at all to later
 * ones; with a window, not to those that are before the window of all of their queries either.
 *
 * @param sequences B
 * @param tokens of a chunk, s
 * @param options window, cap and scale
 * @param startsT of this rank's documents, where there are several in a sequence
 * @param rank whose queries they are
 * @param ranks of the context-parallel group
 */
record ChunkPairs(
        int sequences,
        int tokens,
        Heads heads,
        AttentionOptions options,
        Optional<Tensor> startsT,
        int rank,
        int ranks) {
    /**
     * A query chunk and a key chunk that it attends to.
     *
     * @param query 0 or 1, the rank's first or second chunk
     * @param key 0 or 1, the first or second chunk of the rank that holds the keys
     */
    record Pair(int query, int key, AttentionShape shape) {}

    /**
     * Derives the extents from a microbatch's heads.
     *
     * @throws ConfigurationException if sequences do not have two chunks per rank
     */
    static ChunkPairs of(
            StepContext context, ProcessGroup group, Heads heads, AttentionOptions options, QueryKeyValue in) {
        var shape = in.queryBHSD().shape();
        if (context.batch().pieces() != BalancedContext.CHUNKS || shape.dim(0) % BalancedContext.CHUNKS != 0) {
            throw new ConfigurationException("context parallelism over " + group.size()
                    + " ranks splits each sequence into " + BalancedContext.CHUNKS * group.size()
                    + " chunks of equal length, " + BalancedContext.CHUNKS + " on each rank, but this rank has "
                    + context.batch().pieces() + ": choose a sequence length that is a multiple of "
                    + BalancedContext.CHUNKS * group.size());
        }
        return new ChunkPairs(
                Math.toIntExact(shape.dim(0) / BalancedContext.CHUNKS),
                Math.toIntExact(shape.dim(2)),
                heads,
                options,
                context.batch().documentStartsT(),
                group.rank(),
                group.size());
    }

    /** The pairs that this rank computes with the keys of a rank. */
    List<Pair> pairsWith(int holder) {
        var pairs = new ArrayList<Pair>();
        for (int query = 0; query < BalancedContext.CHUNKS; query++) {
            for (int key = 0; key < BalancedContext.CHUNKS; key++) {
                int distance = BalancedContext.piece(rank, ranks, query) - BalancedContext.piece(holder, ranks, key);
                if (distance >= 0 && isInWindow(distance)) {
                    pairs.add(new Pair(
                            query, key, shape(query, distance * tokens, BalancedContext.piece(holder, ranks, key))));
                }
            }
        }
        return pairs;
    }

    /** Whether the first query of a chunk sees the last key of one so many chunks before: of all pairs the closest. */
    private boolean isInWindow(int distance) {
        long positions = Math.max(0, (long) (distance - 1) * tokens + 1);
        return options.window().isEmpty() || positions < options.window().getAsInt();
    }

    private AttentionShape shape(int query, int causalOffset, int keyChunk) {
        var shape = new AttentionShape(sequences, tokens, tokens, heads, causalOffset).with(options);
        return startsT.map(starts -> shape.within(new DocumentBounds(ofTokens(starts, query), keyChunk * tokens)))
                .orElse(shape);
    }

    /** One chunk of [N, ...]. */
    Tensor ofSequences(Tensor xN, int piece) {
        return xN.rows((long) piece * sequences, sequences);
    }

    /** One chunk of [N s, ...]. */
    Tensor ofTokens(Tensor xT, int piece) {
        long count = (long) sequences * tokens;
        return xT.rows(piece * count, count);
    }

    /** The rank whose keys arrive in a step of the ring: first the own rank, then the previous ones. */
    int holder(int step) {
        return Math.floorMod(rank - step, ranks);
    }
}
