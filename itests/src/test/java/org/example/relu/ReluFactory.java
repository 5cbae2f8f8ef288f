package org.example.relu;

import io.hirundo.kernel.attention.Heads;
import io.hirundo.lib.transformer.block.Decoder;
import io.hirundo.model.Activation;
import io.hirundo.model.Architecture;
import io.hirundo.model.Block;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.ModelSpec;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerProviders;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import java.util.ArrayList;
import java.util.List;

/** A tiny decoder whose blocks end with a ReLU. */
public final class ReluFactory implements StrategyFactory<NoOptions, Architecture> {
    private static final int HIDDEN = 32;

    @Override
    public Architecture create(NoOptions options) {
        var sizes = new Decoder.Sizes(256, HIDDEN, 48, 2, 32, 1e-5, false, 0.02);
        return new Model(new Decoder(
                sizes,
                new Heads(2, 2, 16),
                List.of(1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003),
                Decoder.Features.NONE));
    }

    /** The decoder with another layer in each block but the first and the last. */
    record Model(Decoder base) implements Architecture, LayerProviders {
        @Override
        public ModelSpec describe() {
            ModelSpec plain = base.describe();
            List<BlockSpec> blocks = plain.blocks().stream()
                    .map(block -> block.layers().size() > 2 ? withRelu(block) : block)
                    .toList();
            return new ModelSpec(plain.vocabulary(), plain.hidden(), plain.maximumSequenceTokens(), blocks);
        }

        private static BlockSpec withRelu(BlockSpec block) {
            List<LayerSpec<?>> layers = new ArrayList<>(block.layers());
            layers.add(new Relu(block.name() + ".relu", Activation.residual(HIDDEN)));
            return new BlockSpec(block.index(), block.name(), layers);
        }

        @Override
        public List<LayerProvider<?, ?>> providers() {
            return List.of(new Relu.Provider());
        }

        @Override
        public Block build(BlockSpec block, LayerFactory layers) {
            if (!(block.layers().getLast() instanceof Relu relu)) {
                return base.build(block, layers);
            }
            var plain = new BlockSpec(
                    block.index(),
                    block.name(),
                    block.layers().subList(0, block.layers().size() - 1));
            return new ReluBlock(base.build(plain, layers), layers.create(relu));
        }
    }
}
