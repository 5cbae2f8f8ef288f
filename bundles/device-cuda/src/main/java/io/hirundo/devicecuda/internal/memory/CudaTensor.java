package io.hirundo.devicecuda.internal.memory;

import io.hirundo.lib.tensor.device.AccountedTensor;
import io.hirundo.lib.tensor.device.OperandCheck;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import jcuda.driver.CUdeviceptr;

/** A tensor in GPU memory. */
public final class CudaTensor extends AccountedTensor<DeviceMemory.Grant> {
    /** The alignment that 16-byte loads, TMA copies and FP8 GEMMs require. */
    public static final int ALIGNMENT_BYTES = 16;

    /** Checks operands of CUDA kernels. */
    public static final OperandCheck<CudaTensor> CHECK = new OperandCheck<>(CudaTensor.class);

    /** Creates the owner of granted memory. */
    public CudaTensor(DeviceMemory.Grant grant, Shape shape, DType dtype) {
        super(grant, shape, dtype);
    }

    private CudaTensor(DeviceMemory.Grant grant, long offsetBytes, Shape shape, DType dtype) {
        super(grant, offsetBytes, shape, dtype);
    }

    @Override
    protected Tensor viewAt(long offsetBytes, Shape window) {
        return new CudaTensor(grant(), offsetBytes, window, dtype());
    }

    /** The address of the first element, for work of the queue. The queue uses the tensor's memory until it is freed. */
    public long on(MemoryQueue queue) {
        grant().use(queue);
        return grant().address() + offsetBytes();
    }

    /** Whether the other one has the same elements in the same memory. */
    public boolean isSame(CudaTensor other) {
        return grant() == other.grant()
                && offsetBytes() == other.offsetBytes()
                && dtype() == other.dtype()
                && elements() == other.elements();
    }

    /** Whether the address is a multiple of {@link #ALIGNMENT_BYTES}. */
    public boolean isAligned() {
        return isAligned(ALIGNMENT_BYTES);
    }

    /** Whether the address is a multiple of {@code bytes}. */
    public boolean isAligned(long bytes) {
        return (grant().address() + offsetBytes()) % bytes == 0;
    }

    /** The target of an upload at a byte offset. */
    public CUdeviceptr target(MemoryQueue queue, long furtherBytes) {
        grant().use(queue);
        return pointer(furtherBytes);
    }

    /** The source of a download at a byte offset. */
    public CUdeviceptr source(MemoryQueue queue, long furtherBytes) {
        grant().read(queue);
        return pointer(furtherBytes);
    }

    private CUdeviceptr pointer(long furtherBytes) {
        return grant().pointer(offsetBytes() + furtherBytes);
    }

    /** The dtype in a kernel's name, for example {@code _f32}. */
    public static String suffix(CudaTensor tensor) {
        return switch (tensor.dtype()) {
            case FP64 -> "_f64";
            case FP32 -> "_f32";
            case BF16 -> "_bf16";
            case INT32 -> "_i32";
            case FP8_E4M3 -> "_e4m3";
            case FP8_E5M2 -> "_e5m2";
        };
    }
}
