package io.hirundo.paralleldp.internal.zero1;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.paralleldp.internal.buffer.ParameterBuffer;
import io.hirundo.paralleldp.internal.gradients.GradientTensor;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.paralleldp.internal.weights.ShardedWeights;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** One bucket's memory: its weights, and a buffer of gradients, which is a single tensor. Padding is zero. */
final class Bucket implements ParameterBuffer {
    private final Device device;
    private final ProcessGroup group;
    private final BucketLayout layout;
    /** Of the gradients that update weights. */
    private final DType updateType;

    private final DType dtype;
    private final ShardedWeights weights;
    private final GradientTensor gradients;
    /** Null except while gradients are reduced in BF16. */
    private Tensor rounded;
    /** This rank's slice in the dtype of updates, after the reduction; null where it lies among the gradients, or is empty. */
    private Tensor reduced;

    /**
     * Takes no memory yet.
     *
     * @param masterType of the master weights
     * @param dtype of the gradients until they are reduced
     * @param lateGradients whether a step begins without them
     */
    Bucket(
            Device device,
            ProcessGroup group,
            BucketLayout layout,
            DType masterType,
            DType dtype,
            boolean lateGradients) {
        this.device = device;
        this.group = group;
        this.layout = layout;
        this.updateType = Parameter.updateType(masterType);
        this.dtype = dtype;
        this.weights = new ShardedWeights(device, group, layout, masterType, true);
        this.gradients = new GradientTensor(device, layout.elements(), dtype, lateGradients);
    }

    @Override
    public BucketLayout layout() {
        return layout;
    }

    @Override
    public ShardedWeights weights() {
        return weights;
    }

    @Override
    public Tensor gradients(String name) {
        return gradients.tensor();
    }

    @Override
    public Tensor gradientSlice() {
        return reduced == null ? slice(gradients.tensor()) : reduced;
    }

    /** Takes memory for the gradients. To be followed by {@link #releaseLateGradients}, when all buckets have theirs. */
    void allocateGradients(Queue queue) {
        gradients.allocate(queue);
        if (dtype != updateType && layout.sliceElements(group.rank()) > 0) {
            reduced =
                    device.allocate(MemoryCategory.GRADIENTS, Shape.of(layout.sliceElements(group.rank())), updateType);
        }
    }

    /** What a step allocates of gradients. */
    long absentGradientBytes() {
        return gradients.absentBytes();
    }

    /** Of the copy of gradients that are rounded to BF16 to be reduced; 0 where they are not. */
    long roundedBytes() {
        return dtype == DType.BF16 || group.size() == 1 ? 0 : layout.elements() * DType.BF16.byteSize();
    }

    /** Late gradients come when they are used. */
    void releaseLateGradients() {
        gradients.releaseLate();
    }

    /** Begins a step. */
    void zeroGradients(Queue queue) {
        gradients.zero(queue);
    }

    void releaseGradients() {
        gradients.release();
    }

    /** Adds up this rank's slice of the gradients; the rest is undefined from now on. In BF16 {@link #finishReduction} must follow. */
    Pending reduceScatterGradients(Queue queue, boolean inBf16) {
        if (!inBf16 || dtype == DType.BF16) {
            return layout.shards().reduceScatter(queue, group, gradients.tensor());
        }
        rounded =
                device.allocate(MemoryCategory.COMMUNICATION, gradients.tensor().shape(), DType.BF16);
        device.kernels().elementwise().copy(queue, gradients.tensor(), rounded);
        return layout.shards().reduceScatter(queue, group, rounded);
    }

    /** Takes sums in another dtype over, which are there for later work of the queue. */
    void finishReduction(Queue queue) {
        if (reduced != null) {
            device.kernels().elementwise().copy(queue, slice(gradients.tensor()), reduced);
        }
        if (rounded != null) {
            device.kernels().elementwise().copy(queue, slice(rounded), slice(gradients.tensor()));
            rounded.close();
            rounded = null;
        }
    }

    private Tensor slice(Tensor whole) {
        return layout.shards().slice(whole, group.rank());
    }

    @Override
    public void close() {
        weights.close();
        if (rounded != null) {
            rounded.close();
        }
        if (reduced != null) {
            reduced.close();
        }
        gradients.close();
    }
}
