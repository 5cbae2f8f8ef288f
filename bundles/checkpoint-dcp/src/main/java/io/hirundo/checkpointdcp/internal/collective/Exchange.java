package io.hirundo.checkpointdcp.internal.collective;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * Passes bytes to one rank and takes as many from another as that passes, buffer by buffer, over the links of the training. Belongs to
 * the rank's thread, as those do; takes one buffer on the device for each direction that there is.
 */
public final class Exchange implements AutoCloseable {
    /** Nobody to pass to, or to take from. */
    public static final int NOBODY = -1;

    private final ProcessGroup all;
    private final Device device;
    private final Queue queue;
    private final int to;
    private final int from;
    private final Tensor sent;
    private final Tensor received;

    /** {@code to} and {@code from}: ranks, or {@link #NOBODY}. */
    public Exchange(World world, Device device, Queue queue, int bufferBytes, int to, int from) {
        this.all = world.along(Axis.values());
        this.device = device;
        this.queue = queue;
        this.to = to;
        this.from = from;
        Shape shape = elements(bufferBytes);
        this.sent = to == NOBODY ? null : device.allocate(MemoryCategory.COMMUNICATION, shape, DType.INT32);
        this.received = from == NOBODY ? null : device.allocate(MemoryCategory.COMMUNICATION, shape, DType.INT32);
    }

    /** Bytes are passed as integers; what lies behind the last byte means nothing. */
    private static Shape elements(long bytes) {
        return Shape.of(Math.ceilDiv(bytes, (long) Integer.BYTES));
    }

    /** Takes the first bytes of a buffer, which is the caller's again when this returns. */
    public void load(MemorySegment buffer, long bytes) {
        device.transfer().upload(queue, buffer, sent.view(0, elements(bytes)));
        queue.drain();
    }

    /** Passes what was loaded and takes what comes; 0 bytes are nothing. Waits for both. */
    public void pass(long sentBytes, long receivedBytes) {
        Pending sending = sentBytes == 0 ? null : all.send(queue, sent.view(0, elements(sentBytes)), to);
        Pending receiving =
                receivedBytes == 0 ? null : all.receive(queue, received.view(0, elements(receivedBytes)), from);
        if (sending != null) {
            sending.await();
        }
        if (receiving != null) {
            receiving.await();
        }
    }

    /** Copies what came to the begin of a buffer. */
    public void unload(MemorySegment buffer, long bytes) {
        device.transfer().download(queue, received.view(0, elements(bytes)), buffer);
        queue.drain();
    }

    @Override
    public void close() {
        if (sent != null) {
            sent.close();
        }
        if (received != null) {
            received.close();
        }
    }
}
