package io.hirundo.paralleldp.internal.weights;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.paralleldp.internal.layout.ShardPacking;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** An all-gather of some of a layout's weights, which each rank packs. What has come stays until this is closed. */
final class PackedGather implements AutoCloseable {
    private final ShardPacking packing;
    private final Tensor all;
    private List<Pending> running;

    /** Writes this rank's values of a run into the message. */
    @FunctionalInterface
    interface Encoder {
        /**
         * Encodes a run.
         *
         * @param values of the run, as the owner holds them
         * @param packed receives as many elements
         */
        void encode(ShardPacking.Piece piece, Tensor values, Tensor packed);
    }

    /** Begins. {@code masters}: this rank's slice of the layout; null where it is empty. */
    PackedGather(
            Device device,
            Queue queue,
            ProcessGroup group,
            BucketLayout layout,
            ShardPacking packing,
            DType dtype,
            Tensor masters,
            Encoder encoder) {
        this.packing = packing;
        long sliceFirst = layout.sliceFirst(group.rank());
        all = device.allocate(MemoryCategory.COMMUNICATION, Shape.of(packing.elements()), dtype);
        try {
            packing.each(group.rank(), (piece, first) -> {
                BucketLayout.Run run = piece.run();
                Shape extents = Shape.of(run.elements());
                encoder.encode(
                        piece, masters.view(run.firstOfBucket() - sliceFirst, extents), all.view(first, extents));
            });
            running = packing.shards().allGather(queue, group, all);
        } catch (RuntimeException | Error failure) {
            all.close();
            throw failure;
        }
    }

    long byteSize() {
        return all.byteSize();
    }

    /** Later work of the queue finds all that has come. */
    void finish(Queue queue) {
        running.forEach(ended -> queue.await(ended.event()));
        running = List.of();
    }

    /** Reads what has come. */
    @FunctionalInterface
    interface Reader {
        void read(ShardPacking.Piece piece, Tensor values);
    }

    /** Goes through the runs of all ranks, in the order of the layout. */
    void each(Reader reader) {
        packing.each((piece, first) ->
                reader.read(piece, all.view(first, Shape.of(piece.run().elements()))));
    }

    @Override
    public void close() {
        all.close();
    }
}
