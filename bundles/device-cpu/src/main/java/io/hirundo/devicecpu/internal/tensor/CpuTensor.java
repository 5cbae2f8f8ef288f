package io.hirundo.devicecpu.internal.tensor;

import io.hirundo.devicecpu.internal.memory.AccountedMemory;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.kernel.host.HostTensor;
import io.hirundo.lib.tensor.device.AccountedTensor;
import io.hirundo.lib.tensor.device.OperandCheck;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** A tensor in native memory. The element accessors are for the reference kernels and tests, not for speed. */
public final class CpuTensor extends AccountedTensor<AccountedMemory.Grant> implements HostTensor {
    /** Checks operands of the device's kernels. */
    public static final OperandCheck<CpuTensor> CHECK = new OperandCheck<>(CpuTensor.class);

    private final long address;

    /** The owner of granted memory. */
    public CpuTensor(AccountedMemory.Grant grant, Shape shape, DType dtype) {
        super(grant, shape, dtype);
        this.address = grant.address();
    }

    private CpuTensor(AccountedMemory.Grant grant, long offsetBytes, Shape shape, DType dtype) {
        super(grant, offsetBytes, shape, dtype);
        this.address = grant.address() + offsetBytes;
    }

    @Override
    protected Tensor viewAt(long offsetBytes, Shape window) {
        return new CpuTensor(grant(), offsetBytes, window, dtype());
    }

    /** Where the first element is, for {@link Memory#ALL}. A multiple of 64, views excepted. */
    public long address() {
        return address;
    }

    /** Whether the other one has the same elements in the same memory. */
    public boolean isSame(CpuTensor other) {
        return address == other.address && dtype() == other.dtype() && elements() == other.elements();
    }

    @Override
    public MemorySegment memory() {
        requireOpen();
        return Memory.ALL.asSlice(address, byteSize());
    }

    /** An element by its row-major index, of any data type. */
    public double getDouble(long index) {
        long at = addressOf(index);
        return switch (dtype()) {
            case FP64 -> Memory.getDouble(at);
            case FP32 -> Memory.getFloat(at);
            case BF16 -> Bf16.toFloat(Memory.getShort(at));
            case FP8_E4M3, FP8_E5M2 -> Fp8.of(dtype()).toFloat(Memory.getByte(at));
            case INT32 -> Memory.getInt(at);
        };
    }

    /** Sets an element, rounding to nearest even (to FP32 first where the tensor is narrower). */
    public void setDouble(long index, double value) {
        long at = addressOf(index);
        switch (dtype()) {
            case FP64 -> Memory.setDouble(at, value);
            case FP32 -> Memory.setFloat(at, (float) value);
            case BF16 -> Memory.setShort(at, Bf16.fromFloat((float) value));
            case FP8_E4M3, FP8_E5M2 -> Memory.setByte(at, Fp8.of(dtype()).fromFloat((float) value));
            case INT32 -> Memory.setInt(at, (int) value);
        }
    }

    private long addressOf(long index) {
        return address + Objects.checkIndex(index, elements()) * dtype().byteSize();
    }
}
