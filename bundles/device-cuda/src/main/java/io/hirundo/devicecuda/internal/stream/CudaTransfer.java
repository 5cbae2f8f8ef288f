package io.hirundo.devicecuda.internal.stream;

import io.hirundo.device.EagerTransfer;
import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.driver.Handles;
import io.hirundo.devicecuda.internal.driver.Result;
import io.hirundo.devicecuda.internal.event.CudaEvent;
import io.hirundo.devicecuda.internal.event.EventPool;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;

/**
 * Host transfers through two page-locked staging buffers. Copies are placed one after the other in one buffer while it has room, then in
 * the other one, after all its copies have ended. So the host waits for no small copy but its own download, and the GPU copies one piece of
 * a large tensor while the host fills or empties the other buffer. An upload returns when its last piece is in a buffer, a download when
 * its data is complete. One transfer at a time. Thread-safe.
 */
public final class CudaTransfer implements EagerTransfer, AutoCloseable {
    public static final long BUFFER_BYTES = 4L << 20;

    private static final long ALIGNMENT_BYTES = 256;

    private final EventPool events;
    private Buffer[] buffers;
    private int current;

    public CudaTransfer(EventPool events) {
        this.events = events;
    }

    /** A page-locked buffer, its used bytes, and the end of the last copy of each queue that used it. */
    private static final class Buffer {
        final Pointer pointer = new Pointer();
        final MemorySegment memory;
        final Map<CudaQueue, CudaEvent> lastUses = new HashMap<>();
        long takenBytes;

        Buffer() {
            Result.check("cuMemHostAlloc", JCudaDriver.cuMemHostAlloc(pointer, BUFFER_BYTES, 0));
            memory = MemorySegment.ofBuffer(pointer.getByteBuffer(0, BUFFER_BYTES));
        }
    }

    /** A part of a buffer for one copy. */
    private record Room(Buffer buffer, long at, long bytes) {
        MemorySegment memory() {
            return buffer.memory.asSlice(at, bytes);
        }

        Pointer pointer() {
            return buffer.pointer.withByteOffset(at);
        }
    }

    @Override
    public synchronized void upload(Queue queue, MemorySegment host, Tensor tensor) {
        CudaTensor to = checked(host, tensor);
        CudaQueue cuda = CudaQueue.of(queue);
        long bytes = to.byteSize();
        for (long at = 0; at < bytes; at += BUFFER_BYTES) {
            Room room = room(cuda, Math.min(BUFFER_BYTES, bytes - at));
            room.memory().copyFrom(host.asSlice(at, room.bytes));
            CUdeviceptr target = to.target(cuda, at);
            Handles.Stream stream = cuda.stream();
            cuda.makeCurrent();
            Result.check(
                    "cuMemcpyHtoDAsync", JCudaDriver.cuMemcpyHtoDAsync(target, room.pointer(), room.bytes, stream));
            used(room, cuda);
        }
    }

    /** A piece of a tensor in transfer to the host. */
    private record Piece(Room room, CudaEvent arrival) {}

    @Override
    public synchronized void download(Queue queue, Tensor tensor, MemorySegment host) {
        CudaTensor from = checked(host, tensor);
        CudaQueue cuda = CudaQueue.of(queue);
        long bytes = from.byteSize();
        Piece piece = fetch(cuda, from, 0);
        for (long at = 0; at < bytes; at += BUFFER_BYTES) {
            // Uses the other buffer, because this one is full or there is no next piece.
            Piece next = fetch(cuda, from, at + BUFFER_BYTES);
            piece.arrival.await();
            host.asSlice(at, piece.room.bytes).copyFrom(piece.room.memory());
            piece = next;
        }
    }

    /** Starts to copy a piece into a buffer; null if there is none. */
    private Piece fetch(CudaQueue queue, CudaTensor from, long at) {
        if (at >= from.byteSize()) {
            return null;
        }
        Room room = room(queue, Math.min(BUFFER_BYTES, from.byteSize() - at));
        CUdeviceptr source = from.source(queue, at);
        Handles.Stream stream = queue.stream();
        queue.makeCurrent();
        Result.check("cuMemcpyDtoHAsync", JCudaDriver.cuMemcpyDtoHAsync(room.pointer(), source, room.bytes, stream));
        return new Piece(room, used(room, queue));
    }

    private Room room(CudaQueue queue, long bytes) {
        if (buffers == null) {
            queue.makeCurrent();
            buffers = new Buffer[] {new Buffer(), new Buffer()};
        }
        if (bytes > BUFFER_BYTES - buffers[current].takenBytes) {
            current = 1 - current;
            Buffer emptied = buffers[current];
            emptied.lastUses.values().forEach(this::awaitAndForget);
            emptied.lastUses.clear();
            emptied.takenBytes = 0;
        }
        Buffer buffer = buffers[current];
        var room = new Room(buffer, buffer.takenBytes, bytes);
        buffer.takenBytes += Math.ceilDiv(bytes, ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
        return room;
    }

    private void awaitAndForget(CudaEvent use) {
        use.await();
        events.forget(use);
    }

    /** Records a started copy; its end is after those of earlier copies of the queue. */
    private CudaEvent used(Room room, CudaQueue queue) {
        CudaEvent end = events.mark(queue.stream());
        CudaEvent before = room.buffer.lastUses.put(queue, end);
        if (before != null) {
            events.forget(before);
        }
        return end;
    }

    private static CudaTensor checked(MemorySegment host, Tensor tensor) {
        CudaTensor cuda = CudaTensor.CHECK.of("tensor", tensor);
        if (host.byteSize() < cuda.byteSize()) {
            throw new IllegalArgumentException(
                    "host holds " + host.byteSize() + " bytes, tensor " + cuda + " needs " + cuda.byteSize());
        }
        return cuda;
    }

    @Override
    public synchronized void close() {
        if (buffers != null) {
            events.makeCurrent();
            for (Buffer buffer : buffers) {
                Result.check("cuMemFreeHost", JCudaDriver.cuMemFreeHost(buffer.pointer));
            }
            buffers = null;
        }
    }
}
