package io.hirundo.parallel;

import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.mesh.ProcessGroup;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Shards every sequence over the ranks of the context axis. Strategy kind {@code context-parallel}. Used only if that axis has
 * more than one rank.
 */
@ConsumerType
public interface ContextParallel {
    /**
     * The pieces of every sequence that a rank holds. Each sequence is cut into {@code ranks * pieces(rank, ranks).size()} pieces
     * of equal length; the size is the same on every rank.
     *
     * @return piece indices, from 0, ascending
     */
    List<Integer> pieces(int rank, int ranks);

    /**
     * Which ranks do the same work: those with equal numbers run the same kernels and collectives on equal shapes, in the same order. A plan counts
     * one rank of each number. By default no two ranks do.
     *
     * @return any number
     */
    default int workKind(int rank, int ranks) {
        return rank;
    }

    /** Attention for layers with these heads and options. */
    AttentionCore attention(ProcessGroup group, Heads heads, AttentionOptions options);
}
