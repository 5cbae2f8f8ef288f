package io.hirundo.lib.engine.layout;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.engine.provider.LayerProviderChoice;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.model.Activation;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.layer.LossTerm;
import io.hirundo.parallel.Sharding;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks what a model's layers declare, because sharding is derived from it: a layer reads what an earlier layer of its block makes, by
 * the same dimensions, every weight is applied to an activation of its layer, and a layer mixes rows that it has.
 */
public final class BlockCheck {
    /** Channels of some rows: what layers hand on, whatever row it is fused into. */
    private record Section(List<Dim> rows, List<Dim> channels) {
        static Stream<Section> of(Activation activation) {
            return activation.sections().stream().map(section -> new Section(activation.rows(), section));
        }

        @Override
        public String toString() {
            return rows + " x " + channels;
        }
    }

    /** Their dimensions are split by the axes of the data-parallel group, and by the tensor axis. */
    private static final List<List<Dim>> ROWS = List.of(Dims.ROWS, Dims.RESIDUAL_ROWS, Dims.DISPATCHED_ROWS);

    private BlockCheck() {}

    /** Rejects declarations that no strategy could split right, and layers that nothing makes run. */
    public static void check(ModelSpec model, Sharding sharding, Strategies strategies) {
        var providers = LayerProviderChoice.of(
                strategies.parallel().tensor(), sharding, strategies.model().architecture());
        for (BlockSpec block : model.blocks()) {
            checkDeclarations(block, model.hidden());
            for (LayerSpec<?> layer : block.layers()) {
                sharding.checkExtents(layer);
                providers.check(layer, sharding);
                providers.checkKernels(layer, sharding, strategies.compute().kernels());
            }
        }
    }

    static void checkDeclarations(BlockSpec block, long hidden) {
        Set<Section> made = new HashSet<>();
        Section.of(Activation.residual(hidden)).forEach(made::add);
        for (LayerSpec<?> layer : block.layers()) {
            for (Activation input : layer.inputs()) {
                Section.of(input)
                        .filter(section -> !made.contains(section))
                        .findFirst()
                        .ifPresent(section -> {
                            throw new ConfigurationException("model: layer " + layer.name() + " reads " + section
                                    + ", which no layer before it in " + block.name()
                                    + " makes; declare the dimensions of the activation that it reads (made there: "
                                    + made + ")");
                        });
            }
            layer.outputs().stream().flatMap(Section::of).forEach(made::add);
            layer.weights().forEach(weight -> checkApplied(layer, weight));
            checkMixed(layer);
            checkTerms(layer);
        }
    }

    /** Rows of another name than the layer's own may be split otherwise: nobody would see that the layer must communicate. */
    private static void checkMixed(LayerSpec<?> layer) {
        var own = new LinkedHashSet<Dim>();
        activations(layer).forEach(activation -> own.addAll(activation.rows()));
        for (Dim dim : layer.mixes()) {
            if (dim.extent() == Dim.PER_MICROBATCH && !own.contains(dim)) {
                throw new ConfigurationException("model: layer " + layer.name() + " mixes " + dim
                        + ", which is no row of its inputs, outputs or internal activations (allowed: " + own + ")");
            }
        }
    }

    private static void checkTerms(LayerSpec<?> layer) {
        if (!layer.lossTerms().isEmpty()) {
            throw new ConfigurationException(
                    "model: layer " + layer.name() + " adds "
                            + layer.lossTerms().keySet().stream()
                                    .map(LossTerm::name)
                                    .toList()
                            + " to the loss (allowed: none), which the trainer does not sum; choose a model whose layers add nothing to the loss");
        }
    }

    private static Stream<Activation> activations(LayerSpec<?> layer) {
        return Stream.of(layer.inputs(), layer.outputs(), layer.internals()).flatMap(List::stream);
    }

    private static void checkApplied(LayerSpec<?> layer, WeightSpec weight) {
        Set<Section> own = new HashSet<>();
        activations(layer).flatMap(Section::of).forEach(own::add);
        for (Section section : Section.of(weight.on()).toList()) {
            if (!own.contains(section)) {
                throw new ConfigurationException("model: weight " + weight.path() + " is applied to " + section
                        + ", which is no input, output or internal activation of layer " + layer.name());
            }
            if (!ROWS.contains(section.rows())) {
                throw new ConfigurationException(
                        "model: weight " + weight.path() + " is applied to rows " + section.rows() + " (allowed: "
                                + ROWS.stream().map(List::toString).collect(Collectors.joining(", "))
                                + "), along which the data-parallel strategy sums its gradient");
            }
        }
    }
}
