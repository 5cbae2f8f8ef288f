package io.hirundo.checkpointdcp.internal.collective;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * All-gathers a few integers. Belongs to the ranks' threads.
 *
 * @param device holds them on the way
 * @param queue orders that with the rank's other work
 */
public record IntAllGather(World world, Device device, Queue queue) {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** The integers of all ranks of the world, in rank order. All ranks pass equally many, at least one. Collective. */
    public int[][] exchange(int[] own) {
        int ranks = world.mesh().ranks();
        if (ranks == 1) {
            return new int[][] {own};
        }
        try (Arena arena = Arena.ofShared();
                Tensor part = device.allocate(MemoryCategory.WORKSPACE, Shape.of(own.length), DType.INT32);
                Tensor whole =
                        device.allocate(MemoryCategory.WORKSPACE, Shape.of((long) ranks * own.length), DType.INT32)) {
            MemorySegment host = arena.allocate(whole.byteSize(), Long.BYTES);
            MemorySegment.copy(own, 0, host, INT, 0, own.length);
            device.transfer().upload(queue, host, part);
            world.along(Axis.values()).allGather(queue, part, whole).await();
            device.transfer().download(queue, whole, host);
            queue.drain();
            int[] all = host.toArray(INT);
            var ofRanks = new int[ranks][];
            Arrays.setAll(ofRanks, rank -> Arrays.copyOfRange(all, rank * own.length, (rank + 1) * own.length));
            return ofRanks;
        }
    }
}
