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
 * Point-to-point transfer of a byte stream: sends to one rank and receives from another, one buffer at a time, over the fabric of the
 * training. Used by the rank's thread alone, because collectives are ordered there. Allocates one buffer on the device for each
 * direction in use.
 */
public final class PeerTransfer implements AutoCloseable {
    /** In place of a rank: nothing is sent, or nothing is received. */
    public static final int NO_RANK = -1;

    private final ProcessGroup allRanks;
    private final Device device;
    private final Queue queue;
    private final int sendTo;
    private final int receiveFrom;
    private final Tensor sendBuffer;
    private final Tensor receiveBuffer;

    /** {@code sendTo} and {@code receiveFrom}: ranks, or {@link #NO_RANK}. */
    public PeerTransfer(World world, Device device, Queue queue, int bufferBytes, int sendTo, int receiveFrom) {
        this.allRanks = world.along(Axis.values());
        this.device = device;
        this.queue = queue;
        this.sendTo = sendTo;
        this.receiveFrom = receiveFrom;
        this.sendBuffer = sendTo == NO_RANK ? null : allocate(bufferBytes);
        this.receiveBuffer = receiveFrom == NO_RANK ? null : allocate(bufferBytes);
    }

    private Tensor allocate(int bufferBytes) {
        return device.allocate(MemoryCategory.COMMUNICATION, int32Elements(bufferBytes), DType.INT32);
    }

    /** Fabrics transfer tensors, so bytes travel as INT32; the last element may have padding, whose value has no meaning. */
    private static Shape int32Elements(long bytes) {
        return Shape.of(Math.ceilDiv(bytes, (long) Integer.BYTES));
    }

    /** Copies the first bytes of a host buffer into the send buffer. The caller may overwrite the host buffer afterwards. */
    public void upload(MemorySegment host, long bytes) {
        device.transfer().upload(queue, host, sendBuffer.view(0, int32Elements(bytes)));
        queue.drain();
    }

    /** Sends the uploaded bytes, receives at the same time, and waits for both. A count of 0 skips that direction. */
    public void sendAndReceive(long sentBytes, long receivedBytes) {
        Pending sending =
                sentBytes == 0 ? null : allRanks.send(queue, sendBuffer.view(0, int32Elements(sentBytes)), sendTo);
        Pending receiving = receivedBytes == 0
                ? null
                : allRanks.receive(queue, receiveBuffer.view(0, int32Elements(receivedBytes)), receiveFrom);
        if (sending != null) {
            sending.await();
        }
        if (receiving != null) {
            receiving.await();
        }
    }

    /** Copies the received bytes to the beginning of a host buffer. */
    public void download(MemorySegment host, long bytes) {
        device.transfer().download(queue, receiveBuffer.view(0, int32Elements(bytes)), host);
        queue.drain();
    }

    @Override
    public void close() {
        if (sendBuffer != null) {
            sendBuffer.close();
        }
        if (receiveBuffer != null) {
            receiveBuffer.close();
        }
    }
}
