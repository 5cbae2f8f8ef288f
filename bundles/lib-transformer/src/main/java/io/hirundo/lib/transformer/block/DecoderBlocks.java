package io.hirundo.lib.transformer.block;

import io.hirundo.lib.transformer.block.Decoder.Features;
import io.hirundo.model.Block;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.Layer;
import java.util.Iterator;

/** Builds the blocks of a {@link Decoder} of the layers that it declares, in their order. */
final class DecoderBlocks {
    private final BlockSpec block;
    private final Iterator<LayerSpec<?>> specs;
    private final LayerFactory layers;

    private DecoderBlocks(BlockSpec block, LayerFactory layers) {
        this.block = block;
        this.specs = block.layers().iterator();
        this.layers = layers;
    }

    /** {@code headDim}: channels of a head. */
    static Block build(BlockSpec block, LayerFactory layers, Features features, boolean outputNorms, int headDim) {
        var next = new DecoderBlocks(block, layers);
        Block built = switch (block.layers().size()) {
            case 1 -> new EmbeddingBlock(next.layer(LayerSpec.Embedding.class));
            case 2 -> new HeadBlock(next.layer(LayerSpec.Norm.class), next.layer(LayerSpec.LossHead.class));
            default -> next.transformer(features, outputNorms, headDim);
        };
        if (next.specs.hasNext()) {
            throw next.foreign();
        }
        return built;
    }

    private IllegalArgumentException foreign() {
        return new IllegalArgumentException("block " + block.name() + " is not one that this decoder declares");
    }

    private TransformerBlock transformer(Features features, boolean outputNorms, int headDim) {
        var attentionNorm = layer(LayerSpec.Norm.class);
        Biased qkv = linear(features.qkvBias());
        HeadNorms headNorms = features.headNorms()
                ? new HeadNorms(layer(LayerSpec.Norm.class), layer(LayerSpec.Norm.class), headDim)
                : null;
        var attention = layer(LayerSpec.Attention.class);
        var attentionHalf = new AttentionHalf(
                attentionNorm,
                qkv,
                headNorms,
                attention,
                output("attention.output_norm", features.outputBias(), outputNorms));
        var mlpNorm = layer(LayerSpec.Norm.class);
        Biased gateUp = linear(features.mlpBias());
        return new TransformerBlock(
                attentionHalf,
                new MlpHalf(
                        mlpNorm,
                        gateUp,
                        layer(LayerSpec.GatedMlp.class),
                        output("mlp.output_norm", features.mlpBias(), outputNorms)));
    }

    private Output output(String name, boolean isBiased, boolean isNormalized) {
        return new Output(linear(isBiased), isNormalized ? layer(LayerSpec.Norm.class) : null, name);
    }

    private Biased linear(boolean isBiased) {
        return new Biased(layer(LayerSpec.Linear.class), isBiased ? layer(LayerSpec.Bias.class) : null);
    }

    private <L extends Layer> L layer(Class<? extends LayerSpec<L>> kind) {
        LayerSpec<?> spec = specs.hasNext() ? specs.next() : null;
        if (!kind.isInstance(spec)) {
            throw foreign();
        }
        return layers.create(kind.cast(spec));
    }
}
