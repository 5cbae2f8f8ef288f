package io.hirundo.testkit.layer;

import io.hirundo.ConfigurationException;
import io.hirundo.model.Dims;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.Sharding;
import io.hirundo.parallel.TensorParallel;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Splits heads, MLP channels and vocabulary; only layers that need no communication run on it. */
record BareTensorParallel(boolean sequenceParallel) implements TensorParallel {
    @Override
    public Set<String> splits() {
        var splits = new HashSet<>(Set.of(Dims.QUERY_HEADS, Dims.INNER, Dims.VOCABULARY));
        if (sequenceParallel) {
            splits.add(Dims.RESIDUAL_POSITIONS.name());
        }
        return splits;
    }

    @Override
    public List<LayerProvider<?, ?>> providers() {
        return List.of();
    }

    @Override
    public long residualTokens(long tokens, int ranks) {
        if (sequenceParallel && tokens % ranks != 0) {
            throw new ConfigurationException(
                    "mesh.tensor is " + ranks + " (allowed: " + Sharding.divisors(tokens) + ")");
        }
        return sequenceParallel ? tokens / ranks : tokens;
    }
}
