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

/** Which shards a rank writes, and the position of each in its data file. Valid as long as the shards stay the same. */
public final class ShardPlan {
    /**
     * What the plan depends on.
     *
     * @param isReplica whether another rank writes these elements
     */
    private record ShardSpec(
            String key, DType dtype, Shape globalShape, List<Long> offset, Shape shape, boolean isReplica) {
        static ShardSpec of(StateShard shard) {
            return new ShardSpec(
                    shard.key(),
                    shard.local().dtype(),
                    shard.globalShape(),
                    shard.offset(),
                    shard.local().shape(),
                    shard.replica() != 0);
        }

        long writtenBytes() {
            return isReplica ? 0 : shape.byteSize(dtype);
        }
    }

    /**
     * A shard that has bytes in the file.
     *
     * @param shard index into the state's shards
     * @param begin offset of its first byte in the file
     */
    public record Entry(int shard, long begin, long bytes) {
        long end() {
            return begin + bytes;
        }
    }

    /**
     * The overlap of an entry with a window of the file.
     *
     * @param from first byte, relative to the beginning of the shard
     * @param inWindow first byte, relative to the beginning of the window
     */
    public record Part(Entry entry, long from, long bytes, long inWindow) {}

    private final List<ShardSpec> shards;
    private final List<Entry> entries = new ArrayList<>();
    private final int chunkBytes;
    private long fileBytes;

    /** Rejects shards that contradict each other. */
    ShardPlan(List<StateShard> state, int chunkBytes) {
        this.shards = state.stream().map(ShardSpec::of).toList();
        this.chunkBytes = chunkBytes;
        for (int index = 0; index < shards.size(); index++) {
            long bytes = shards.get(index).writtenBytes();
            if (bytes > 0) {
                entries.add(new Entry(index, DataFile.align(fileBytes), bytes));
                fileBytes = entries.getLast().end();
            }
        }
        // Called for its checks alone: the checksums are known after writing.
        tensors(entries.stream().map(entry -> "").toList());
    }

    boolean isFor(List<StateShard> state) {
        return state.stream().map(ShardSpec::of).toList().equals(shards);
    }

    public long fileBytes() {
        return fileBytes;
    }

    int chunkBytes() {
        return chunkBytes;
    }

    /** The parts of entries between two offsets of the file, in order. */
    public List<Part> parts(long begin, long end) {
        var parts = new ArrayList<Part>();
        for (int index = firstEntryEndingAfter(begin);
                index < entries.size() && entries.get(index).begin() < end;
                index++) {
            Entry entry = entries.get(index);
            long first = Math.max(begin, entry.begin());
            parts.add(new Part(entry, first - entry.begin(), Math.min(end, entry.end()) - first, first - begin));
        }
        return parts;
    }

    /** Binary search; the number of entries if none ends after this offset. */
    private int firstEntryEndingAfter(long offset) {
        int low = 0;
        int high = entries.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (entries.get(middle).end() > offset) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /**
     * The tensors of the rank's manifest. A replica is listed as a tensor without shards, so that the merge notices a tensor whose
     * elements no rank writes.
     *
     * @param checksums of the entries, in order
     */
    List<SavedTensor> tensors(List<String> checksums) {
        Map<String, SavedTensor> tensors = new LinkedHashMap<>();
        int nextEntry = 0;
        for (ShardSpec shard : shards) {
            List<SavedShard> written = List.of();
            if (!shard.isReplica()) {
                boolean isEmpty = shard.writtenBytes() == 0;
                long begin = isEmpty ? 0 : entries.get(nextEntry).begin();
                String checksum = isEmpty ? "" : checksums.get(nextEntry++);
                var place = new SavedShard.Place(0, begin, shard.writtenBytes());
                written = List.of(new SavedShard(shard.offset(), shard.shape().dims(), place, checksum));
            }
            add(
                    tensors,
                    new SavedTensor(
                            shard.key(), shard.dtype(), shard.globalShape().dims(), written));
        }
        return List.copyOf(tensors.values());
    }

    /** Adds the shards of a tensor to those already listed under its key. */
    private static void add(Map<String, SavedTensor> tensors, SavedTensor tensor) {
        SavedTensor listed = tensors.putIfAbsent(tensor.key(), tensor);
        if (listed == null) {
            return;
        }
        if (listed.dtype() != tensor.dtype() || !listed.shape().equals(tensor.shape())) {
            throw new IllegalArgumentException(
                    "two shards of '" + tensor.key() + "' differ in data type or global shape: " + listed.dtype() + " "
                            + listed.shape() + ", " + tensor.dtype() + " " + tensor.shape());
        }
        var shards = new ArrayList<>(listed.shards());
        shards.addAll(tensor.shards());
        tensors.put(tensor.key(), listed.withShards(shards));
    }
}
