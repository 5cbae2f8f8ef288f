package io.hirundo.commmpi.internal.collective;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.lib.fabric.Call;
import io.hirundo.lib.fabric.End;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What a lane works with. */
public record Worker(MpiWorldState world, Device device, Queue queue) {
    private static final int ALIGNMENT_BYTES = 64;

    /** Steps of an operation, in which host memory is taken. */
    @FunctionalInterface
    interface Steps {
        /**
         * @return false when the world ended before
         */
        boolean run(Arena arena);
    }

    /**
     * Does an operation.
     *
     * @param agreeing finds out that the ranks mean the same; before the operands are ready
     * @param moving does the rest
     */
    void perform(Operation operation, Call call, Steps agreeing, Steps moving) {
        // Not closed after a failure: messages may be under way still, from there or to there. The process ends soon.
        Arena arena = Arena.ofConfined();
        try {
            operation.taken();
            boolean met = agreeing.run(arena);
            if (met) {
                operation.met();
                call.ready().await();
            }
            if (met && operation.begun() && moving.run(arena)) {
                queue.drain();
                arena.close();
                operation.complete();
            } else {
                operation.abandon();
            }
        } catch (RuntimeException | Error e) {
            operation.abandon();
            world.end(End.failure(world.rank(), e));
        }
    }

    static MemorySegment host(Arena arena, long bytes) {
        return arena.allocate(bytes, ALIGNMENT_BYTES);
    }

    /** A copy in host memory. */
    MemorySegment download(Arena arena, Tensor tensor) {
        MemorySegment host = host(arena, tensor.byteSize());
        download(tensor, host);
        return host;
    }

    void download(Tensor tensor, MemorySegment host) {
        if (host.byteSize() > 0) {
            device.transfer().download(queue, tensor, host);
            queue.drain();
        }
    }

    /** The host's memory may be used again once the queue is drained. */
    void upload(MemorySegment host, Tensor tensor) {
        if (host.byteSize() > 0) {
            device.transfer().upload(queue, host, tensor);
        }
    }
}
