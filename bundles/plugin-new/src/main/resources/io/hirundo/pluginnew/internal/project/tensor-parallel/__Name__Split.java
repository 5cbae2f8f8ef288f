package __package__;

import io.hirundo.model.Dims;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.TensorParallel;
import java.util.List;
import java.util.Set;

/**
 * Splits heads and MLP channels (Shoeybi et al. 2019, arXiv 1909.08053): a linear layer split by its outputs, then one split by its inputs,
 * whose partial results are summed. Every rank has all rows of the residual stream, the embedding and the loss head.
 */
record __Name__Split(__Name__Options options) implements TensorParallel {
    /** Where weights lie, and which gradients are summed, follows from these names alone. */
    @Override
    public Set<String> splits() {
        return options.attention() ? Set.of(Dims.QUERY_HEADS, Dims.INNER) : Set.of(Dims.INNER);
    }

    /** All other layers work on the rank's own channels, or compute the same on every rank. */
    @Override
    public List<LayerProvider<?, ?>> providers() {
        return List.of(new __Name__Provider());
    }

    @Override
    public long residualTokens(long tokens, int ranks) {
        return tokens;
    }
}
