package io.hirundo.parallel;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Ownership;
import io.hirundo.precision.WeightCoding;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * How data-parallel ranks shard or replicate weights and gradients. Strategy kind {@code data-parallel}. Used in every run, also
 * with a single rank.
 */
@ConsumerType
public interface DataParallel {
    /**
     * Allocates the weights, undefined until set through {@link ShardedParameters#owned}. The caller closes the result.
     *
     * @param blocks blocks of this rank in forward order, with the parameters of each
     * @param group ranks along the data and context axes
     */
    ShardedParameters bind(Device device, ProcessGroup group, List<List<ParameterSpec>> blocks, DType parameterType);

    /**
     * As the other {@code bind}, for an optimizer that needs some parameters in one piece, or in blocks: {@link ShardedParameters#owned} keeps
     * what {@link Ownership} says of each.
     *
     * @param ownership what the optimizer needs, the same on all ranks
     * @throws ConfigurationException if this strategy cannot; the default divides elements only, and so rejects the rest where there are several
     *     ranks
     */
    default ShardedParameters bind(
            Device device,
            ProcessGroup group,
            List<List<ParameterSpec>> blocks,
            DType parameterType,
            Function<ParameterSpec, Ownership> ownership) {
        if (group.size() > 1) {
            requireElements(blocks.stream().flatMap(List::stream).map(ownership).toList());
        }
        return bind(device, group, blocks, parameterType);
    }

    private static void requireElements(List<Ownership> needed) {
        needed.stream().filter(each -> each != Ownership.ELEMENTS).findFirst().ifPresent(each -> {
            throw new ConfigurationException("mesh.dataParallel: this strategy is wrong (allowed: one that keeps "
                    + (each == Ownership.TENSOR ? "matrices" : "blocks of elements")
                    + " on one rank), because the optimizer declares Ownership." + each
                    + "; choose another mesh.dataParallel, or another optimizer");
        });
    }

    /**
     * How many ranks share one copy of the parameters. The others hold replicas (hybrid sharding).
     *
     * @param ranks along the data and context axes
     * @return a divisor of {@code ranks}
     * @throws ConfigurationException if the strategy cannot divide so many ranks; asked before a device is opened
     */
    default int shardSize(int ranks) {
        return ranks;
    }

    /**
     * As the other {@code bind}, for a strategy whose {@link #shardSize} may be smaller than the number of ranks. Such a strategy overrides this.
     *
     * @param groups of {@link #shardSize} ranks
     * @throws UnsupportedOperationException if there are replicas and the strategy does not override this
     */
    default ShardedParameters bind(
            Device device,
            ShardGroups groups,
            List<List<ParameterSpec>> blocks,
            DType parameterType,
            Function<ParameterSpec, Ownership> ownership) {
        if (groups.replicas().isPresent()) {
            throw new UnsupportedOperationException(
                    getClass().getName()
                            + ".shardSize divides the ranks, but it does not override bind(Device, ShardGroups, ...); override it, or return all ranks");
        }
        return bind(device, groups.shard(), blocks, parameterType, ownership);
    }

    /**
     * The dtype of {@link Parameter#gradient} that layers accumulate into, which kernels must accept with the precision's activations. The
     * gradients of {@link ShardedParameters#owned} are in {@link Parameter#updateType} of {@code parameterType}.
     *
     * @param ranks along the data and context axes
     */
    default DType gradientType(DType parameterType, int ranks) {
        return Parameter.updateType(parameterType);
    }

    /**
     * Takes over parameters that another strategy has bound, without moving them. Does not change anything yet.
     *
     * @return applies the change, on the rank's thread between two steps; empty if this strategy needs another memory layout
     */
    default Optional<Runnable> takeOver(ShardedParameters present) {
        return Optional.empty();
    }

    /**
     * Allocates and frees what the parameters take at once, in addition to what they hold, when this strategy has them, their layers read weights
     * in another form and steps run: the change of the form, gathers, and gradients that are not held between steps. So a change that does not fit
     * fails before it begins. Changes nothing; no collectives. Activations are not part of it. The default rehearses weights and gradients one after
     * the other: override it if a step holds more of both together, or if an option that {@link #takeOver} changes takes memory.
     *
     * @param parameters that this strategy has bound, or could {@link #takeOver}
     * @param types as for {@link ShardedParameters#hold}
     * @param codings as for {@link ShardedParameters#encode}
     * @param microbatches of a step on this rank
     * @param freedBytes that others free before the next step; need not be allocated. The default ignores it
     * @throws io.hirundo.DeviceException if there is no room
     */
    default void rehearseStep(
            ShardedParameters parameters,
            Map<String, DType> types,
            Map<String, WeightCoding> codings,
            long microbatches,
            long freedBytes) {
        parameters.rehearse(types, codings);
        parameters.rehearseGradients(microbatches);
    }

    /** Whether several ranks gather the weights quantized that {@link ShardedParameters#encode} names. */
    default boolean gathersQuantized() {
        return false;
    }

    /**
     * What to set, as {@code path=value}, so that the weights that layers read take less memory; for messages.
     *
     * @param canQuantize whether layers read weights that could be gathered quantized
     * @return empty if no setting of this strategy lowers it
     */
    default Optional<String> weightMemoryRemedy(boolean canQuantize) {
        return Optional.empty();
    }
}
