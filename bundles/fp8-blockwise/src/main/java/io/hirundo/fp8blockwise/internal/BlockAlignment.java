package io.hirundo.fp8blockwise.internal;

import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.model.Dim;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.WeightSpec;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.Support;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether the scale blocks of sharded tensors coincide with those of a single rank. Then quantized values and scales are bitwise those
 * of a single rank, given the same inputs. This holds if every shard is a multiple of the block size. Unsharded dimensions may have any
 * size.
 *
 * @param layers unsharded, by the name of their matrix
 */
record BlockAlignment(Map<String, FullMatrix> layers) {
    /** Before a model is known: nothing is sharded. */
    static final BlockAlignment UNKNOWN = new BlockAlignment(Map.of());

    private static final String REMEDY = "split it over fewer ranks, or set precision.options.blocks=shard-local";

    /** A matrix of the model, whose weights are sharded separately. */
    private record FullMatrix(List<WeightSpec> weights, long outputs, long inputs) {
        /** The number of ranks that shard the outputs, if one of them holds this many. */
        long ranks(long held) {
            for (long ranks = 2; ranks <= outputs(); ranks++) {
                long number = ranks;
                if (weights.stream().mapToLong(weight -> share(weight, number)).sum() == held) {
                    return ranks;
                }
            }
            throw new IllegalArgumentException(held + " outputs are no share of " + this);
        }

        /** With more ranks than key/value heads, each rank has a full head. */
        static long share(WeightSpec weight, long ranks) {
            Dim split = weight.shape().getFirst().getFirst();
            long outputs = weight.globalShape().dim(0);
            return split.groupOf().isPresent() && split.extent() < ranks ? outputs / split.extent() : outputs / ranks;
        }
    }

    static BlockAlignment of(ModelSpec model) {
        var layers = new HashMap<String, FullMatrix>();
        model.blocks().stream()
                .flatMap(block -> block.layers().stream())
                .flatMap(layer -> layer.matrices().stream())
                .forEach(matrix ->
                        layers.put(matrix.name(), new FullMatrix(matrix.weights(), matrix.outputs(), matrix.inputs())));
        return new BlockAlignment(layers);
    }

    /** The unsharded layer of a rank's shard: what a single rank would compute. */
    LinearShape whole(LinearShape share) {
        FullMatrix whole = layers.get(share.name());
        return whole == null ? share : new LinearShape(share.name(), whole.outputs(), whole.inputs());
    }

    /** {@code shape}: a rank's shard. */
    Support supports(LinearShape shape) {
        FullMatrix whole = layers.get(shape.name());
        if (whole == null) {
            return Support.YES;
        }
        if (shape.inputs() < whole.inputs && shape.inputs() % ScaleBlock.EXTENT != 0) {
            return cut(shape.inputs() + " of its " + whole.inputs + " inputs");
        }
        if (shape.outputs() < whole.outputs()) {
            long ranks = whole.ranks(shape.outputs());
            for (WeightSpec weight : whole.weights) {
                long share = FullMatrix.share(weight, ranks);
                if (share % ScaleBlock.EXTENT != 0) {
                    boolean alone = whole.weights.size() == 1;
                    String outputs = weight.globalShape().dim(0) + " outputs" + (alone ? "" : " of " + weight.path());
                    return cut(share + " of " + (alone ? "its " : "the ") + outputs);
                }
            }
        }
        return Support.YES;
    }

    private static Support cut(String share) {
        return Support.no("a rank has " + share + ", not a multiple of " + ScaleBlock.EXTENT
                + ": scale blocks would be split; " + REMEDY);
    }

    Support supportsPieces(long tokens) {
        return tokens % ScaleBlock.EXTENT == 0
                ? Support.YES
                : Support.no("context-parallel chunks of " + tokens + " tokens are not a multiple of "
                        + ScaleBlock.EXTENT + ": scale blocks would be split; "
                        + "choose a longer training.sequenceTokens, or set precision.options.blocks=shard-local");
    }
}
