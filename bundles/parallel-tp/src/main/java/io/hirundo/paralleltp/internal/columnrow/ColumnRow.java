package io.hirundo.paralleltp.internal.columnrow;

import io.hirundo.ConfigurationException;
import io.hirundo.model.Dims;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.Sharding;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.paralleltp.internal.layer.ChunkSize;
import io.hirundo.paralleltp.internal.layer.EmbeddingProvider;
import io.hirundo.paralleltp.internal.layer.LinearProvider;
import io.hirundo.paralleltp.internal.layer.LossHeadProvider;
import io.hirundo.paralleltp.internal.residual.Overlap;
import io.hirundo.paralleltp.internal.residual.ResidualStreams;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Megatron's pairs (Shoeybi et al. 2019, arXiv 1909.08053): a layer split by its outputs, then one split by its inputs, whose
 * partial results are summed into the residual stream.
 *
 * @param chunkSize of the loss head
 */
public record ColumnRow(ColumnRowOptions options, ChunkSize chunkSize) implements TensorParallel {
    @Override
    public Set<String> splits() {
        var splits = new HashSet<>(Set.of(Dims.QUERY_HEADS, Dims.INNER, Dims.VOCABULARY));
        if (options.sequenceParallel()) {
            splits.add(Dims.RESIDUAL_POSITIONS.name());
        }
        return splits;
    }

    @Override
    public List<LayerProvider<?, ?>> providers() {
        var streams = new ResidualStreams(options.sequenceParallel(), overlap());
        return List.of(
                new EmbeddingProvider(streams),
                new LinearProvider(streams, options.quantizedGather()),
                new LossHeadProvider(streams, chunkSize));
    }

    @Override
    public long residualTokens(long tokens, int ranks) {
        if (!options.sequenceParallel()) {
            return tokens;
        }
        if (tokens % ranks != 0) {
            throw new ConfigurationException("mesh.tensor is " + ranks
                    + ", but with sequenceParallel it must divide the " + tokens
                    + " tokens of a microbatch (training.microBatch times training.sequenceTokens, over mesh.context); allowed are "
                    + Sharding.divisors(tokens) + "; or set the option sequenceParallel of column-row to false");
        }
        return tokens / ranks;
    }

    private Overlap overlap() {
        return options.overlap()
                ? new Overlap(options.ringGather(), options.bulk(), options.pipelinedScatter() ? options.splits() : 1)
                : new Overlap(false, false, 1);
    }
}
