package io.hirundo.testkit.device;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.device.Transfer;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.fabric.Substitute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/** Copies when a queue is drained; {@code uploadAtOnce} likewise, except for what fits into its buffer. */
final class LateTransfer implements Transfer {
    private final Transfer transfer;
    private final long keptBytes;
    private final java.util.Queue<Runnable> late = new ArrayDeque<>();

    private LateTransfer(Transfer transfer, long keptBytes) {
        this.transfer = transfer;
        this.keptBytes = keptBytes;
    }

    static Device of(Device device, long keptBytes) {
        var late = new LateTransfer(device.transfer(), keptBytes);
        Device queued = Substitute.like(
                Device.class, device, "newQueue", (real, arguments) -> late.drainedBy((Queue) real.call()));
        return Substitute.like(Device.class, queued, "transfer", (real, arguments) -> late);
    }

    private Queue drainedBy(Queue queue) {
        return Substitute.like(Queue.class, queue, "drain", (real, arguments) -> {
            while (!late.isEmpty()) {
                late.remove().run();
            }
            return real.call();
        });
    }

    @Override
    public void upload(Queue queue, MemorySegment host, Tensor tensor) {
        late.add(() -> transfer.upload(queue, host, tensor));
    }

    @Override
    public void uploadAtOnce(Queue queue, MemorySegment host, Tensor tensor) {
        if (tensor.byteSize() > keptBytes) {
            upload(queue, host, tensor);
        } else {
            transfer.upload(queue, host, tensor);
        }
    }

    @Override
    public void download(Queue queue, Tensor tensor, MemorySegment host) {
        late.add(() -> transfer.download(queue, tensor, host));
    }
}
