package io.hirundo.checkpointdcp.internal.format;

import io.hirundo.CheckpointException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes one manifest of those in which each rank says what it wrote. */
public final class ManifestMerge {
    private ManifestMerge() {}

    /**
     * The whole; header, step and values are those of rank 0.
     *
     * @param parts in the order of the ranks, each with its own file first; behind it the copies that it keeps of others'
     */
    public static Manifest of(List<Manifest> parts) {
        var files = new ArrayList<DataFile>();
        Map<String, SavedTensor> tensors = new LinkedHashMap<>();
        for (int rank = 0; rank < parts.size(); rank++) {
            files.add(withCopies(parts.get(rank).files().getFirst(), parts));
            for (SavedTensor tensor : parts.get(rank).tensors()) {
                add(tensors, tensor, rank);
            }
        }
        Manifest first = parts.getFirst();
        return new Manifest(
                first.header(), first.step(), first.chunkBytes(), first.values(), files, List.copyOf(tensors.values()));
    }

    /** With the places of all its copies. */
    private static DataFile withCopies(DataFile own, List<Manifest> parts) {
        var places = new ArrayList<>(own.places());
        for (Manifest part : parts) {
            part.files().stream()
                    .skip(1)
                    .filter(copy -> copy.name().equals(own.name()))
                    .forEach(copy -> places.addAll(copy.places()));
        }
        return new DataFile(own.name(), own.bytes(), places);
    }

    private static void add(Map<String, SavedTensor> tensors, SavedTensor tensor, int rank) {
        var shards = tensor.shards().stream().map(shard -> shard.inFile(rank)).toList();
        SavedTensor former = tensors.get(tensor.key());
        if (former == null) {
            tensors.put(tensor.key(), tensor.withShards(shards));
            return;
        }
        if (former.dtype() != tensor.dtype() || !former.shape().equals(tensor.shape())) {
            throw new CheckpointException("tensor '" + tensor.key() + "' is " + tensor.shape() + " of " + tensor.dtype()
                    + " on rank " + rank + ", but " + former.shape() + " of " + former.dtype() + " on those before");
        }
        var all = new ArrayList<>(former.shards());
        all.addAll(shards);
        tensors.put(tensor.key(), tensor.withShards(all));
    }
}
