package io.hirundo.devicecpu.internal.tensor;

import io.hirundo.device.EagerTransfer;
import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** Copies between host memory and tensors, which are host memory too, but may be another type or place. */
public final class CpuTransfer implements EagerTransfer {
    @Override
    public void upload(Queue queue, MemorySegment host, Tensor tensor) {
        CpuTensor to = checked(host, tensor);
        MemorySegment.copy(host, 0, Memory.ALL, to.address(), to.byteSize());
    }

    @Override
    public void download(Queue queue, Tensor tensor, MemorySegment host) {
        CpuTensor from = checked(host, tensor);
        MemorySegment.copy(Memory.ALL, from.address(), host, 0, from.byteSize());
    }

    private static CpuTensor checked(MemorySegment host, Tensor tensor) {
        CpuTensor cpu = CpuTensor.CHECK.of("tensor", tensor);
        if (host.byteSize() < cpu.byteSize()) {
            throw new IllegalArgumentException(
                    "host holds " + host.byteSize() + " bytes, tensor " + cpu + " needs " + cpu.byteSize());
        }
        return cpu;
    }
}
