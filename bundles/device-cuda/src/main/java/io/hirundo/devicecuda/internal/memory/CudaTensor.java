package io.hirundo.devicecuda.internal.memory;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import jcuda.driver.CUdeviceptr;

/** A tensor in GPU memory. */
public final class CudaTensor implements Tensor {
    /** The alignment that 16-byte loads, TMA copies and FP8 GEMMs require. */
    public static final int ALIGNMENT_BYTES = 16;

    private final DeviceMemory.Grant grant;
    private final boolean view;
    private final long offsetBytes;
    private final Shape shape;
    private final DType dtype;
    private final long elements;

    /** Creates the owner of granted memory. */
    public CudaTensor(DeviceMemory.Grant grant, Shape shape, DType dtype) {
        this(grant, false, 0, shape, dtype);
    }

    private CudaTensor(DeviceMemory.Grant grant, boolean view, long offsetBytes, Shape shape, DType dtype) {
        this.grant = grant;
        this.view = view;
        this.offsetBytes = offsetBytes;
        this.shape = shape;
        this.dtype = dtype;
        this.elements = shape.elements();
    }

    /** The address of the first element, for work of the queue. The queue uses the tensor's memory until it is freed. */
    public long on(MemoryQueue queue) {
        grant.use(queue);
        return grant.address() + offsetBytes;
    }

    /** Whether the other one has the same elements in the same memory. */
    public boolean isSame(CudaTensor other) {
        return grant == other.grant
                && offsetBytes == other.offsetBytes
                && dtype == other.dtype
                && elements == other.elements;
    }

    /** Whether the address is a multiple of {@link #ALIGNMENT_BYTES}. */
    public boolean isAligned() {
        return isAligned(ALIGNMENT_BYTES);
    }

    /** Whether the address is a multiple of {@code bytes}. */
    public boolean isAligned(long bytes) {
        return (grant.address() + offsetBytes) % bytes == 0;
    }

    /** The target of an upload at a byte offset. */
    public CUdeviceptr target(MemoryQueue queue, long furtherBytes) {
        grant.use(queue);
        return pointer(furtherBytes);
    }

    /** The source of a download at a byte offset. */
    public CUdeviceptr source(MemoryQueue queue, long furtherBytes) {
        grant.read(queue);
        return pointer(furtherBytes);
    }

    private CUdeviceptr pointer(long furtherBytes) {
        return grant.pointer(offsetBytes + furtherBytes);
    }

    @Override
    public Shape shape() {
        return shape;
    }

    @Override
    public DType dtype() {
        return dtype;
    }

    @Override
    public long elements() {
        return elements;
    }

    @Override
    public Tensor view(long elementOffset, Shape window) {
        requireOpen();
        if (elementOffset < 0 || elementOffset > elements || window.elements() > elements - elementOffset) {
            throw new IllegalArgumentException(
                    "a view " + window + " at element " + elementOffset + " leaves the tensor " + this);
        }
        return new CudaTensor(grant, true, offsetBytes + elementOffset * dtype.byteSize(), window, dtype);
    }

    @Override
    public void close() {
        if (!view) {
            requireOpen();
            grant.giveBack();
        }
    }

    void requireOpen() {
        if (grant.isReturned()) {
            throw new IllegalStateException("the tensor " + this + " was used after it was closed");
        }
    }

    /** For example {@code [2048, 288] FP32}. */
    @Override
    public String toString() {
        return shape + " " + dtype;
    }
}
