package io.hirundo.lib.engine.rank;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.tensors.HostCopies;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** All-gathers strings between steps: change requests, errors. Memory is the same for all strings, because a plan does not know them. */
public final class StringAllGather implements AutoCloseable {
    /** What a rank sends at a time. */
    private static final int PIECE_ELEMENTS = 64;

    private final Rank rank;
    private final Tensor shard;
    private final Tensor whole;

    private StringAllGather(Rank rank) {
        this.rank = rank;
        this.shard = rank.device().allocate(MemoryCategory.WORKSPACE, Shape.of(PIECE_ELEMENTS), DType.INT32);
        try {
            long elements = (long) PIECE_ELEMENTS * rank.everyone().size();
            this.whole = rank.device().allocate(MemoryCategory.WORKSPACE, Shape.of(elements), DType.INT32);
        } catch (RuntimeException | Error failure) {
            shard.close();
            throw failure;
        }
    }

    /** The strings of all ranks of the world, in rank order. Collective. */
    public static List<String> exchange(Rank rank, String own) {
        if (rank.everyone().size() == 1) {
            return List.of(own);
        }
        byte[] bytes = own.getBytes(StandardCharsets.UTF_8);
        try (var gather = new StringAllGather(rank)) {
            int[] lengths = gather.piece(new int[] {bytes.length});
            // Four bytes per INT32 element, because fabrics carry no byte type other than FP8.
            int elements = Math.ceilDiv(Arrays.stream(lengths).max().orElseThrow(), Integer.BYTES);
            int[] padded = new int[elements];
            MemorySegment.ofArray(padded).asSlice(0, bytes.length).copyFrom(MemorySegment.ofArray(bytes));
            MemorySegment all = MemorySegment.ofArray(gather.all(padded, lengths.length));
            var texts = new ArrayList<String>();
            for (int other = 0; other < lengths.length; other++) {
                byte[] text = all.asSlice((long) other * elements * Integer.BYTES, lengths[other])
                        .toArray(ValueLayout.JAVA_BYTE);
                texts.add(new String(text, StandardCharsets.UTF_8));
            }
            return texts;
        }
    }

    /** The elements of all ranks, which have as many. */
    private int[] all(int[] own, int ranks) {
        int[] all = new int[own.length * ranks];
        for (int first = 0; first < own.length; first += PIECE_ELEMENTS) {
            int count = Math.min(PIECE_ELEMENTS, own.length - first);
            int[] piece = piece(Arrays.copyOfRange(own, first, first + count));
            for (int other = 0; other < ranks; other++) {
                System.arraycopy(piece, other * count, all, other * own.length + first, count);
            }
        }
        return all;
    }

    private int[] piece(int[] own) {
        Device device = rank.device();
        Queue queue = rank.queue();
        ProcessGroup everyone = rank.everyone();
        Tensor sent = shard.view(0, Shape.of(own.length));
        Tensor received = whole.view(0, Shape.of((long) own.length * everyone.size()));
        HostCopies.upload(device, queue, own, sent);
        queue.await(everyone.allGather(queue, sent, received).event());
        return HostCopies.readInts(device, queue, received);
    }

    @Override
    public void close() {
        whole.close();
        shard.close();
    }
}
