package io.hirundo.lib.precision;

import io.hirundo.model.BlockSpec;
import io.hirundo.model.Dims;
import io.hirundo.model.MatrixSpec;
import io.hirundo.model.ModelSpec;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Positions of a model's linear layers.
 *
 * @param blocks by weight, the index of its block among blocks with linear layers
 * @param blockCount number of these blocks
 * @param queryKeyValue weights whose rows are heads
 * @param heads weights whose rows are the vocabulary
 */
record LayerPlaces(Map<String, Integer> blocks, int blockCount, Set<String> queryKeyValue, Set<String> heads) {
    /** Used until the model is known. */
    static final LayerPlaces UNKNOWN = new LayerPlaces(Map.of(), 0, Set.of(), Set.of());

    static LayerPlaces of(ModelSpec model) {
        var blocks = new HashMap<String, Integer>();
        var queryKeyValue = new HashSet<String>();
        var heads = new HashSet<String>();
        int count = 0;
        for (BlockSpec block : model.blocks()) {
            boolean isCounted = false;
            for (MatrixSpec matrix : block.layers().stream()
                    .flatMap(layer -> layer.matrices().stream())
                    .toList()) {
                if (hasRows(matrix, Dims.VOCABULARY)) {
                    heads.add(matrix.name());
                    continue;
                }
                blocks.put(matrix.name(), count);
                isCounted = true;
                if (hasRows(matrix, Dims.QUERY_HEADS) || hasRows(matrix, Dims.KEY_VALUE_HEADS)) {
                    queryKeyValue.add(matrix.name());
                }
            }
            count += isCounted ? 1 : 0;
        }
        return new LayerPlaces(blocks, count, queryKeyValue, heads);
    }

    private static boolean hasRows(MatrixSpec matrix, String dimension) {
        return matrix.weights().stream()
                .anyMatch(weight -> weight.shape().getFirst().getFirst().name().equals(dimension));
    }

    /** Why the options keep a layer in BF16; empty if they do not. */
    Optional<String> excluded(String weight, QuantizedLayers.Options options) {
        if (heads.contains(weight)) {
            return options.head() ? Optional.empty() : Optional.of("the loss head, unless head=true");
        }
        if (queryKeyValue.contains(weight) && !options.queryKeyValue()) {
            return Optional.of("queryKeyValue=false");
        }
        Integer block = blocks.get(weight);
        if (block != null && block < options.firstInBf16()) {
            return Optional.of("firstInBf16=" + options.firstInBf16());
        }
        if (block != null && block >= blockCount - options.lastInBf16()) {
            return Optional.of("lastInBf16=" + options.lastInBf16());
        }
        return Optional.empty();
    }
}
