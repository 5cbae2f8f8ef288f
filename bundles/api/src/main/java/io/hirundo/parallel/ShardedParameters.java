package io.hirundo.parallel;

import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.precision.CodedWeight;
import io.hirundo.precision.WeightCoding;
import io.hirundo.schedule.Action;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * The parameters of one rank and their memory. All ranks of the group must make the same calls in the same order. Confined to the
 * rank's thread.
 *
 * <p>A step: {@link #zeroGradients}; for every block and action {@link #before}, the work, {@link #after}; {@link #gradientReady}
 * for every parameter; {@link #finishGradients}; the optimizer updates {@link #owned}; {@link #weightsChanged}. Layers add to {@link
 * Parameter#gradient} between {@link #before} and {@link #after}: in both halves of the backward, and in the forward of the loss head.
 *
 * <p>{@code DataParallelContract} of the testkit holds implementations to what follows.
 */
@ConsumerType
public interface ShardedParameters extends AutoCloseable {
    /**
     * Every parameter once, in declaration order, with the declared specification. Its value, in its shape, is available between {@link #before}
     * and {@link #after}.
     */
    List<Parameter> parameters();

    /**
     * The parameters, or runs of their elements, that this rank updates: the master weights, in the dtype of {@link DataParallel#bind}. At most
     * one run for each parameter. No other rank of the group owns its elements. If ranks of other shard groups do, the {@link
     * io.hirundo.model.parameter.Replicas} of the parts include them. Between {@link #finishGradients} and {@link #zeroGradients} their gradients
     * are summed over the ranks and microbatches; after {@link #weightsChanged} a strategy may have freed them.
     *
     * <p>Values may be set while no block is between {@link #before} and {@link #after}, even if gathers of earlier values are in flight: a checkpoint
     * may be loaded over initial weights.
     */
    List<Parameter> owned();

    /** Whether {@link #gatherOwned} works, so that a run can change to a strategy that shards parameters in another way. */
    default boolean isMovable() {
        return false;
    }

    /**
     * All-gathers tensors that are sharded as {@link #owned} is, a few parameters at a time. All ranks must call it, between two steps.
     *
     * @param dtype of the tensors
     * @param ofOwned the tensor of a run, with as many elements; null for all runs of a parameter that has no such tensor
     * @param reader gets each parameter's name, and all elements, row-major, undefined where there is no such tensor; lent until it returns
     */
    default void gatherOwned(
            Queue queue, DType dtype, Function<Parameter, Tensor> ofOwned, BiConsumer<String, Tensor> reader) {
        throw new UnsupportedOperationException(
                "this strategy cannot move its parameters to another one; ask isMovable() first");
    }

    /** As {@link #isMovable}, for tensors with an element for each block of so many elements of a run. */
    default boolean isMovable(int block) {
        return block == 1 && isMovable();
    }

    /**
     * As the other {@code gatherOwned}, for tensors with an element for each block of elements, as {@link io.hirundo.optimizer.StateSpec} allows.
     * Call it only if {@link #isMovable(int)}.
     *
     * @param block elements of a parameter for each element of the tensors
     */
    default void gatherOwned(
            Queue queue,
            DType dtype,
            int block,
            Function<Parameter, Tensor> ofOwned,
            BiConsumer<String, Tensor> reader) {
        if (block != 1) {
            throw new UnsupportedOperationException("this strategy cannot move tensors with an element for each "
                    + block + "; ask isMovable(block) first");
        }
        gatherOwned(queue, dtype, ofOwned, reader);
    }

    /**
     * Allocates and frees what {@link #gatherOwned} will take, so that a change that does not fit fails before it begins. No collectives.
     *
     * @param dtype of the tensors
     * @throws io.hirundo.DeviceException if there is no room
     */
    default void rehearseGatherOwned(DType dtype) {}

    /** Allocates gradients. Not called for inference. */
    void allocateGradients();

    /**
     * Allocates and frees the gradients that a step holds at once in addition to those that are allocated, so that a run whose gradients do not
     * fit fails before its first step. No collectives. A strategy that holds complete gradients of a block at most may ignore this.
     *
     * @param microbatches of a step on this rank
     * @throws io.hirundo.DeviceException if there is no room
     */
    default void rehearseGradients(long microbatches) {}

    /** Begins a step: layers find gradients of zero. */
    void zeroGradients(Queue queue);

    /** Frees the memory of gradients where the next {@link #zeroGradients} can take it again; keeps it without. To be called between steps. */
    default void releaseGradients() {}

    /**
     * Call before work on a block, and before its weights are read.
     *
     * @param block index, as passed to {@link DataParallel#bind}
     * @param kind the upcoming action
     * @return whether weights changed since the block's last call, so that prepared weights are stale
     */
    boolean before(Queue queue, int block, Action.Kind kind);

    /**
     * Names the blocks whose weights only the forward reads, so that a strategy need not gather them again: {@link #before} of their backward then
     * makes gradients available and no more. A strategy may ignore this. All ranks must call it with the blocks that they have, between two steps;
     * it holds until the next call.
     *
     * @param blocks indices, as passed to {@link DataParallel#bind}
     */
    default void readInForwardOnly(Set<Integer> blocks) {}

    /**
     * The dtypes in which layers read {@link Parameter#value}. Weights that are not named, or whose dtype is that of {@link
     * DataParallel#bind}, are read as {@link #owned} holds them. A strategy may ignore this: layers then read all weights in the dtype of
     * {@code bind}. All ranks must call it, between two steps; the first call may come before the values are set.
     *
     * @param types by parameter name
     */
    default void hold(Map<String, DType> types) {}

    /**
     * Allows these weights to be all-gathered in quantized form. Replaces the codings of an earlier call; all other weights are
     * gathered unquantized. A strategy may ignore this. All ranks must call it, between two steps. The codings are used until the
     * next call.
     *
     * @param codings by parameter name, of weights whose {@link Parameter#value} is never read
     */
    default void encode(Map<String, WeightCoding> codings) {}

    /**
     * Allocates and frees what {@link #hold} and {@link #encode} of these would take in addition, so that a change that does not fit fails
     * before it begins. Changes nothing; no collectives. A strategy whose memory does not depend on them may ignore this.
     *
     * @param types as for {@link #hold}
     * @param codings as for {@link #encode}
     * @throws io.hirundo.DeviceException if there is no room
     */
    default void rehearse(Map<String, DType> types, Map<String, WeightCoding> codings) {}

    /**
     * The quantized weight of this name, if {@link #before} returned that weights changed; valid until {@link #after}. Empty if the
     * weight was gathered unquantized, as {@link Parameter#value}; otherwise there is no value.
     */
    default Optional<CodedWeight> coded(String name) {
        return Optional.empty();
    }

    /** Whether weights stay available between {@link #after} and the next {@link #before}; if not, layers drop what they prepared. */
    default boolean keepsWeights() {
        return true;
    }

    /** Call after the work. */
    void after(Queue queue, int block, Action.Kind kind);

    /** Whether {@link #gradientReady} is called for every microbatch; otherwise once per step, after gradient accumulation. */
    default boolean reducesEveryMicrobatch() {
        return false;
    }

    /**
     * This rank has finished its contribution to a parameter's gradient.
     *
     * @param before collectives that must end first, such as the all-reduce over {@link io.hirundo.model.parameter.Replicas}
     */
    void gradientReady(Queue queue, Parameter parameter, List<Pending> before);

    /**
     * {@link #gradientReady} will not be called again for this parameter before {@link #finishGradients}. A strategy may start what it does
     * once per step, and may ignore this.
     */
    default void gradientComplete(Queue queue, Parameter parameter) {}

    /** Makes later work of the queue see the reduced gradients of {@link #owned}. */
    void finishGradients(Queue queue);

    /** Call after every rank of the group has updated its {@link #owned} values. May free their gradients until the next step. */
    void weightsChanged(Queue queue);

    /** Releases the memory. */
    @Override
    void close();
}
