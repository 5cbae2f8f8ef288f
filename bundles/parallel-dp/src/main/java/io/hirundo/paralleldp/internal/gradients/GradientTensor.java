package io.hirundo.paralleldp.internal.gradients;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * A tensor of gradients, {@code [elements]}, which may be late: a step then begins without it, allocates it when it first uses it, so
 * that activations can have its memory until then, and frees it after the update. Owns the tensor.
 */
public final class GradientTensor implements AutoCloseable {
    private final Device device;
    private final long elements;
    private final DType dtype;
    private final boolean late;
    private boolean allocated;
    /** Null without elements, before it is allocated, while it is released, and if it is late until a step first uses it. */
    private Tensor tensor;
    /** Zeroes gradients at their first use in a step; null before the first step, and for late gradients outside of steps. */
    private Queue ofStep;

    /**
     * Takes no memory yet.
     *
     * @param elements of the tensor; may be 0
     * @param late whether a step begins without it
     */
    public GradientTensor(Device device, long elements, DType dtype, boolean late) {
        this.device = device;
        this.elements = elements;
        this.dtype = dtype;
        this.late = late;
    }

    /**
     * Takes memory, zeroed unless it is late. Call {@link #releaseLate} when all gradients of the model have theirs: that they fit is then
     * known before the first step.
     *
     * @throws IllegalStateException at a second call
     * @throws io.hirundo.DeviceException if there is no room
     */
    public void allocate(Queue queue) {
        if (allocated) {
            throw new IllegalStateException("the gradients were allocated before");
        }
        if (late) {
            take();
        } else {
            takeZeroed(queue);
        }
        allocated = true;
    }

    /**
     * Frees late gradients until a step uses them. Call it after {@link #allocate} before other memory is allocated, which would otherwise fragment
     * the memory that the first step allocates, and when weights were updated, so that an evaluation or a change of strategies can have the memory.
     */
    public void releaseLate() {
        if (late) {
            release();
            ofStep = null;
        }
    }

    /** Begins a step on this queue. */
    public void zero(Queue queue) {
        requireAllocated();
        ofStep = queue;
        if (late) {
            release();
        } else if (tensor == null) {
            takeZeroed(queue);
        } else {
            device.kernels().elementwise().fill(queue, tensor, 0);
        }
    }

    /**
     * The gradients. Allocates and zeroes them on the queue of the step, if they are not in memory.
     *
     * @return null without elements
     * @throws IllegalStateException if gradients were not allocated, or a step did not begin with {@link #zero}
     */
    public Tensor tensor() {
        requireAllocated();
        if (tensor == null && elements > 0) {
            if (ofStep == null) {
                throw new IllegalStateException("gradients are used before zeroGradients()");
            }
            takeZeroed(ofStep);
        }
        return tensor;
    }

    /** What a step allocates. */
    public long absentBytes() {
        return allocated && tensor == null ? elements * dtype.byteSize() : 0;
    }

    /** Frees the memory until the next {@link #zero} or use. */
    public void release() {
        if (tensor != null) {
            tensor.close();
            tensor = null;
        }
    }

    private void take() {
        if (elements > 0) {
            tensor = device.allocate(MemoryCategory.GRADIENTS, Shape.of(elements), dtype);
        }
    }

    private void takeZeroed(Queue queue) {
        take();
        if (tensor != null) {
            device.kernels().elementwise().fill(queue, tensor, 0);
        }
    }

    /** @throws IllegalStateException if {@link #allocate} did not succeed */
    public void requireAllocated() {
        if (!allocated) {
            throw new IllegalStateException("this model has no gradients: they were not allocated");
        }
    }

    @Override
    public void close() {
        release();
    }
}
