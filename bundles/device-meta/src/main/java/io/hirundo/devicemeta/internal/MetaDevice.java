package io.hirundo.devicemeta.internal;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.MemoryProfile;
import io.hirundo.device.Queue;
import io.hirundo.device.Transfer;
import io.hirundo.devicemeta.internal.kernel.MetaKernels;
import io.hirundo.devicemeta.internal.memory.MetaMemory;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.MetaQueue;
import io.hirundo.devicemeta.internal.work.MetaTransfer;
import io.hirundo.devicemeta.internal.work.SpeedOptions;
import io.hirundo.devicemeta.internal.work.TimedQueue;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.Kernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Set;

/** An open counting device: accounts for memory and work without either. Work may take simulated time. */
final class MetaDevice implements Device {
    private final DeviceInfo info;
    private final MetaMemory memory;
    private final Kernels kernels;
    private final Transfer transfer;
    private final SpeedOptions speed;

    /**
     * Opens the device.
     *
     * @param speed null if work takes no time
     * @param missingKernels families that it does not have
     */
    MetaDevice(
            DeviceInfo info,
            MemoryProfile profile,
            SpeedOptions speed,
            Set<Class<?>> missingKernels,
            DeviceLedger ledger) {
        var work = new Work(ledger, speed);
        this.speed = speed;
        this.info = info;
        this.memory = new MetaMemory(profile, ledger, info.memoryBytes());
        this.kernels =
                new MetaKernels(work, missingKernels, profile.sumsQueryGradients() ? this::takeForACall : bytes -> {});
        this.transfer = new MetaTransfer(work);
        memory.take(MemoryCategory.WORKSPACE, profile.workspaceBytes());
    }

    private void takeForACall(long bytes) {
        memory.take(MemoryCategory.WORKSPACE, bytes).giveBack();
    }

    @Override
    public DeviceInfo info() {
        return info;
    }

    @Override
    public boolean computes() {
        return false;
    }

    @Override
    public Queue newQueue(String purpose) {
        return speed == null ? new MetaQueue() : new TimedQueue();
    }

    @Override
    public Tensor allocate(MemoryCategory category, Shape shape, DType dtype) {
        return new MetaTensor(memory.take(category, shape.byteSize(dtype)), shape, dtype);
    }

    @Override
    public Kernels kernels() {
        return kernels;
    }

    @Override
    public Transfer transfer() {
        return transfer;
    }

    @Override
    public void close() {
        memory.close();
    }
}
