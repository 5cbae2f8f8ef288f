package io.hirundo.lib.engine.layout;

import io.hirundo.lib.engine.pipeline.BlockCost;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.model.Activation;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.Tokens;
import io.hirundo.tensor.Shape;
import java.util.List;

/**
 * What blocks cost their pipeline stage, as their layers declare it. An estimate of ratios, which tensor parallelism and precisions change
 * alike for all stages; {@code plan} counts bytes.
 */
final class BlockCosts {
    /** BF16 weights, FP32 gradients, and the optimizer state of several ranks: 6 + 12/d bytes a parameter. */
    private static final double STATE_BYTES = 8;

    /** BF16. */
    private static final double SAVED_BYTES = 2;

    private BlockCosts() {}

    static List<BlockCost> of(ModelSpec model, StageRequest request) {
        return model.blocks().stream().map(block -> of(block, request)).toList();
    }

    private static BlockCost of(BlockSpec block, StageRequest request) {
        double tokens = (double) request.sequences() * request.sequenceTokens();
        var work = Tokens.causal(request.sequences(), request.sequenceTokens());
        double flops = block.layers().stream()
                .mapToDouble(layer -> layer.modelFlops(work))
                .sum();
        double parameters = ModelTensors.of(List.of(block)).values().stream()
                .mapToDouble(Shape::elements)
                .sum();
        double channels =
                block.layers().stream().mapToDouble(BlockCosts::savedChannels).sum();
        return new BlockCost(flops, STATE_BYTES * parameters, SAVED_BYTES * channels * tokens / request.contextRanks());
    }

    /** A layer that changes rows in place, a bias for instance, saves nothing. */
    private static double savedChannels(LayerSpec<?> layer) {
        return layer.mixes().isEmpty() && layer.outputs().equals(layer.inputs()) ? 0 : outputChannels(layer);
    }

    private static double outputChannels(LayerSpec<?> layer) {
        return layer.outputs().stream().mapToDouble(Activation::channels).sum();
    }
}
