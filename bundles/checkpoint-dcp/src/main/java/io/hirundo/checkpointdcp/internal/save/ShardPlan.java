package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import io.hirundo.checkpointdcp.internal.format.SavedShard;
import io.hirundo.checkpointdcp.internal.format.SavedTensor;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which pieces a rank writes, and the position of each in its data file. Valid as long as the pieces stay the same. */
public final class ShardPlan {
    /** What a plan depends on. */
    private record Described(String key, DType dtype, Shape whole, List<Long> offset, Shape shape, boolean isCopy) {
        static Described of(StateShard shard) {
            return new Described(
                    shard.key(),
                    shard.local().dtype(),
                    shard.globalShape(),
                    shard.offset(),
                    shard.local().shape(),
                    shard.replica() != 0);
        }

        long bytes() {
            return isCopy ? 0 : shape.byteSize(dtype);
        }
    }

    /**
     * A piece that has bytes in the file.
     *
     * @param shard index into the state's shards
     * @param begin its first byte in the file
     */
    public record Entry(int shard, long begin, long bytes) {
        long end() {
            return begin + bytes;
        }
    }

    /**
     * What a window of the file has of a piece.
     *
     * @param from first byte, counted from the beginning of the piece
     * @param inWindow first byte, counted from the beginning of the window
     */
    public record Part(Entry entry, long from, long bytes, long inWindow) {}

    private final List<Described> shards;
    private final List<Entry> entries = new ArrayList<>();
    private final int chunkBytes;
    private long fileBytes;

    /** Rejects pieces that contradict each other. */
    ShardPlan(List<StateShard> state, int chunkBytes) {
        this.shards = state.stream().map(Described::of).toList();
        this.chunkBytes = chunkBytes;
        for (int index = 0; index < shards.size(); index++) {
            long bytes = shards.get(index).bytes();
            if (bytes > 0) {
                entries.add(new Entry(index, DataFile.align(fileBytes), bytes));
                fileBytes = entries.getLast().end();
            }
        }
        tensors(entries.stream().map(entry -> "").toList());
    }

    boolean isFor(List<StateShard> state) {
        return state.stream().map(Described::of).toList().equals(shards);
    }

    public long fileBytes() {
        return fileBytes;
    }

    int chunkBytes() {
        return chunkBytes;
    }

    /** Contents of the file between two bytes, in order. */
    public List<Part> parts(long begin, long end) {
        var parts = new ArrayList<Part>();
        for (int index = firstBehind(begin);
                index < entries.size() && entries.get(index).begin() < end;
                index++) {
            Entry entry = entries.get(index);
            long first = Math.max(begin, entry.begin());
            parts.add(new Part(entry, first - entry.begin(), Math.min(end, entry.end()) - first, first - begin));
        }
        return parts;
    }

    private int firstBehind(long position) {
        int low = 0;
        int high = entries.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (entries.get(middle).end() > position) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /**
     * As the manifest says it. Copies are named without a piece, so that a tensor whose first copy nobody has is noticed.
     *
     * @param checksums of the entries, in order
     */
    List<SavedTensor> tensors(List<String> checksums) {
        Map<String, SavedTensor> tensors = new LinkedHashMap<>();
        int next = 0;
        for (Described shard : shards) {
            List<SavedShard> written = List.of();
            if (!shard.isCopy()) {
                boolean isEmpty = shard.bytes() == 0;
                var place =
                        new SavedShard.Place(0, isEmpty ? 0 : entries.get(next).begin(), shard.bytes());
                written = List.of(new SavedShard(
                        shard.offset(), shard.shape().dims(), place, isEmpty ? "" : checksums.get(next++)));
            }
            add(
                    tensors,
                    new SavedTensor(shard.key(), shard.dtype(), shard.whole().dims(), written));
        }
        return List.copyOf(tensors.values());
    }

    private static void add(Map<String, SavedTensor> tensors, SavedTensor tensor) {
        SavedTensor former = tensors.putIfAbsent(tensor.key(), tensor);
        if (former == null) {
            return;
        }
        if (former.dtype() != tensor.dtype() || !former.shape().equals(tensor.shape())) {
            throw new IllegalArgumentException(
                    "two pieces of '" + tensor.key() + "' differ in data type or whole shape: " + former.dtype() + " "
                            + former.shape() + ", " + tensor.dtype() + " " + tensor.shape());
        }
        var all = new ArrayList<>(former.shards());
        all.addAll(tensor.shards());
        tensors.put(tensor.key(), former.withShards(all));
    }
}
