package io.hirundo.paralleldp.internal.fsdp;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.paralleldp.internal.gradients.GradientTensor;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The gradients of a unit: this rank's slice, reduced over ranks and summed over microbatches, and the complete gradients of this rank's
 * microbatches since the last reduce-scatter. The complete ones are allocated by the first backward and freed when their reduce-scatter has
 * ended. In a group of one rank the slice is complete, and nothing is reduced; if it is late, it is allocated when a step first uses it.
 */
final class UnitGradients implements AutoCloseable {
    /** How complete gradients are allocated when a layer needs them. */
    private record OnDemand(Queue queue, MemoryCategory category) {}

    private final Device device;
    private final ProcessGroup group;
    private final BucketLayout layout;
    private final DType dtype;
    private final List<String> names;
    private final Set<String> missing = new LinkedHashSet<>();
    private final List<Pending> before = new ArrayList<>();
    private final GradientTensor slice;
    private Tensor whole;
    private OnDemand onDemand;
    /** Parameters whose last gradient of the step is not ready. */
    private final Set<String> incomplete = new LinkedHashSet<>();
    /** Whether the sum over replicas has started. */
    private boolean isReplicated;

    /**
     * Takes no memory yet.
     *
     * @param updateType of the slice
     * @param dtype of this rank's gradients until they are reduced
     * @param late whether a step begins without the slice; only for a group of one rank
     */
    UnitGradients(
            Device device,
            ProcessGroup group,
            BucketLayout layout,
            DType updateType,
            DType dtype,
            boolean late,
            List<ParameterSpec> specs) {
        this.device = device;
        this.group = group;
        this.layout = layout;
        this.dtype = dtype;
        this.slice = new GradientTensor(device, layout.sliceElements(group.rank()), updateType, late);
        this.names = specs.stream().map(ParameterSpec::name).toList();
        missing.addAll(names);
        incomplete.addAll(names);
    }

    /** Takes memory for the slice. To be followed by {@link #releaseLate}, when all units have theirs. */
    void allocate(Queue queue) {
        slice.allocate(queue);
    }

    void releaseLate() {
        slice.releaseLate();
    }

    /** Null where it is empty. */
    Tensor slice() {
        return slice.tensor();
    }

    /** Whether this rank's slice is not empty. */
    private boolean owns() {
        return sliceElements() > 0;
    }

    /** The gradients, while a backward adds to them; with a parameter's name for messages. */
    Tensor whole(String name) {
        if (isAlone()) {
            return slice();
        }
        if (whole == null && onDemand != null) {
            open(onDemand.queue(), onDemand.category());
        }
        if (whole == null) {
            throw new IllegalStateException(
                    "the gradient of " + name + " is whole only from before() of a backward to gradientReady()");
        }
        return whole;
    }

    void zero(Queue queue) {
        forget();
        slice.zero(queue);
    }

    /** Of a group of one rank. The slices of several ranks stay, because they may differ in size, and a plan knows one of the ranks only. */
    void release() {
        if (isAlone()) {
            slice.release();
        }
    }

    /** Makes room for what a backward will add, unless it adds to what is there. */
    void open(Queue queue, MemoryCategory category) {
        if (!isAlone() && whole == null) {
            slice.requireAllocated();
            whole = allocateComplete(category);
            device.kernels().elementwise().fill(queue, whole, 0);
        }
    }

    /** The complete gradients, without values. The caller closes them. */
    Tensor allocateComplete(MemoryCategory category) {
        return device.allocate(category, Shape.of(layout.elements()), dtype);
    }

    /** Of the complete gradients. */
    long completeBytes() {
        return layout.elements() * dtype.byteSize();
    }

    /** Of what is sent to be reduced. {@code inBf16}: whether it is rounded to BF16 before. */
    long sentBytes(boolean inBf16) {
        return layout.elements() * (inBf16 ? DType.BF16 : dtype).byteSize();
    }

    /** Whether rounding to BF16 takes a copy. */
    boolean needsRounding() {
        return dtype != DType.BF16;
    }

    long sliceElements() {
        return layout.sliceElements(group.rank());
    }

    /** What a step allocates of the slice. */
    long absentSliceBytes() {
        return slice.absentBytes();
    }

    /** Makes room when it is asked for: the last block finds its gradients together with the loss, in the forward. */
    void openOnDemand(Queue queue, MemoryCategory category) {
        onDemand = new OnDemand(queue, category);
    }

    void openNoMore() {
        onDemand = null;
    }

    /**
     * Takes note of a parameter and what must have ended before. Where it was the unit's last one, begins to sum.
     *
     * @param inBf16 whether gradients are rounded to BF16 before they are sent
     * @return the sum under way, or null when there is none
     */
    Sum ready(Queue queue, String name, List<Pending> pendings, boolean inBf16) {
        whole(name);
        missing.remove(name);
        before.addAll(pendings);
        if (!missing.isEmpty()) {
            return null;
        }
        missing.addAll(names);
        before.forEach(pending -> queue.await(pending.event()));
        before.clear();
        if (isAlone()) {
            return null;
        }
        Tensor sent = inBf16 && dtype != DType.BF16 ? rounded(queue) : whole;
        whole = null;
        return new Sum(
                this,
                sent,
                layout.shards().slice(sent, group.rank()),
                layout.shards().reduceScatter(queue, group, sent));
    }

    /** Notes that a parameter's last gradient of the step is ready. Whether all of the unit are. */
    boolean complete(String name) {
        incomplete.remove(name);
        return incomplete.isEmpty();
    }

    /** Whether the last microbatch of the step is summed over the shard group as soon as {@link Sum#finish} is called. */
    boolean isComplete() {
        return incomplete.isEmpty();
    }

    /** Starts the sum of the slice over replicas, unless it has been started since gradients were zeroed, or the slice is empty. */
    void sumReplicas(Queue queue, ReplicaSums sums, boolean inBf16) {
        if (!isReplicated && owns()) {
            sums.start(queue, slice(), inBf16);
        }
        isReplicated = true;
    }

    /** Takes the place of the whole. */
    private Tensor rounded(Queue queue) {
        Tensor wide = whole;
        // Closed once, also if there is no memory for the rounded ones.
        whole = null;
        try (wide) {
            Tensor narrow = device.allocate(MemoryCategory.COMMUNICATION, wide.shape(), DType.BF16);
            device.kernels().elementwise().copy(queue, wide, narrow);
            return narrow;
        }
    }

    /** Fails where gradients were found that are not on their way. */
    void requireSent() {
        if (whole != null) {
            throw new IllegalStateException("gradients are to be summed, but those of " + missing + " are not ready");
        }
    }

    /**
     * A sum over the ranks under way.
     *
     * @param whole memory of the message, which the sum owns
     * @param part this rank's slice of it
     */
    record Sum(UnitGradients gradients, Tensor whole, Tensor part, Pending pending) {
        /** Adds it to those of earlier microbatches. */
        void finish(Queue queue) {
            queue.await(pending.event());
            if (gradients.owns()) {
                gradients.device.kernels().elementwise().add(queue, part, gradients.slice());
            }
            whole.close();
        }
    }

    @Override
    public void close() {
        forget();
        slice.close();
    }

    private void forget() {
        if (whole != null) {
            whole.close();
            whole = null;
        }
        before.clear();
        missing.addAll(names);
        incomplete.addAll(names);
        isReplicated = false;
    }

    private boolean isAlone() {
        return group.size() == 1;
    }
}
