package io.hirundo.lib.engine.model;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Ownership;
import io.hirundo.parallel.DataParallel;
import io.hirundo.parallel.ShardGroups;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The parameters of a rank, as a data-parallel strategy shards them. A run replaces the sharding, and keeps parameters and dtype. */
final class RankParameters implements AutoCloseable {
    private final Rank rank;
    private final DType type;
    private final List<List<ParameterSpec>> specs;
    private ShardedParameters sharded;
    /** What the optimizer needs that they are sharded for. Values, because a function would keep a bundle that has left. */
    private Map<ParameterSpec, Ownership> ownership;

    private RankParameters(Rank rank, DType type, List<List<ParameterSpec>> specs) {
        this.rank = rank;
        this.type = type;
        this.specs = specs;
    }

    /** {@code specs}: of each block. {@code ownership}: what the optimizer needs of each parameter. */
    static RankParameters open(
            Rank rank,
            DataParallel data,
            PrecisionStrategy precision,
            List<List<ParameterSpec>> specs,
            Function<ParameterSpec, Ownership> ownership) {
        var parameters = new RankParameters(rank, precision.parameterType(), specs);
        GradientType.require(rank, data, precision);
        parameters.ownership = parameters.values(ownership);
        parameters.sharded = parameters.bind(data, ownership);
        return parameters;
    }

    private ShardedParameters bind(DataParallel data, Function<ParameterSpec, Ownership> needed) {
        return data.bind(rank.device(), ShardGroups.of(rank.world(), data), specs, type, needed);
    }

    private Map<ParameterSpec, Ownership> values(Function<ParameterSpec, Ownership> ofParameter) {
        return specs.stream()
                .flatMap(List::stream)
                .distinct()
                .collect(Collectors.toMap(Function.identity(), ofParameter));
    }

    /** Rejects a precision with parameters of another dtype, or with wider activations than gradients are added up in. */
    void requireUsableBy(PrecisionStrategy precision, DataParallel data) {
        if (precision.parameterType() != type) {
            throw new ConfigurationException(
                    "precision: its parameters are " + precision.parameterType()
                            + ", but those of the run are " + type
                            + "; stop it, and continue with the new precision and --resume, which converts weights between FP32 and BF16");
        }
        GradientType.require(rank, data, precision);
    }

    /** Parameters and gradients without values, sharded by another strategy; the caller closes them unless it replaces these. */
    ShardedParameters other(DataParallel other, RankBlocks blocks, Function<ParameterSpec, Ownership> needed) {
        if (!sharded.isMovable()) {
            throw new ConfigurationException(
                    "mesh.dataParallel: it shards weights in another way, and the current strategy cannot move them; a restart with --resume"
                            + " reshards them");
        }
        GradientType.require(rank, other, blocks.precision());
        ShardedParameters others = bind(other, needed);
        try {
            gatherAsReadBy(others, blocks);
            others.allocateGradients();
            return others;
        } catch (RuntimeException | Error failure) {
            others.close();
            throw failure;
        }
    }

    /** Switches to others; returns those of before, which the caller closes. */
    ShardedParameters replace(ShardedParameters others, Function<ParameterSpec, Ownership> needed) {
        ShardedParameters before = sharded;
        sharded = others;
        ownership = values(needed);
        return before;
    }

    /** Gathers weights in the form that these blocks read; unquantized for none. */
    void follow(Optional<RankBlocks> blocks) {
        if (blocks.isEmpty()) {
            sharded.encode(Map.of());
        } else {
            gatherAsReadBy(sharded, blocks.get());
        }
    }

    private static void gatherAsReadBy(ShardedParameters parameters, RankBlocks blocks) {
        parameters.encode(blocks.layers().codings());
        parameters.hold(blocks.layers().weightTypes());
        parameters.readInForwardOnly(blocks.weights().readInForwardOnly());
    }

    ShardedParameters sharded() {
        return sharded;
    }

    DType type() {
        return type;
    }

    List<List<ParameterSpec>> specs() {
        return specs;
    }

    Ownership ownership(ParameterSpec parameter) {
        return ownership.get(parameter);
    }

    @Override
    public void close() {
        sharded.close();
    }
}
