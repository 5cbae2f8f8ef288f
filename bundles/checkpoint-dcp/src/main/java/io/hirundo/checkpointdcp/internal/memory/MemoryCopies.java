package io.hirundo.checkpointdcp.internal.memory;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.checkpointdcp.internal.format.SavedShard;
import io.hirundo.checkpointdcp.internal.format.SavedTensor;
import io.hirundo.checkpointdcp.internal.load.ChunkReader;
import io.hirundo.lib.tensor.TensorSlice;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What this node has of a checkpoint in memory: of each data file a place where every byte is good. */
final class MemoryCopies {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryCopies.class);

    private final SavedCheckpoint saved;
    private final FileOperations disk;
    private final Map<Integer, Path> good = new TreeMap<>();
    private final BitSet looked = new BitSet();

    MemoryCopies(SavedCheckpoint saved, FileOperations disk) {
        this.saved = saved;
        this.disk = disk;
    }

    /** Data files that hold elements of these pieces, by their places in the manifest. */
    static BitSet wantedFor(SavedCheckpoint saved, List<StateShard> pieces) {
        Map<String, SavedTensor> tensors = new TreeMap<>();
        saved.manifest().tensors().forEach(tensor -> tensors.put(tensor.key(), tensor));
        var files = new BitSet();
        for (StateShard wanted : pieces) {
            SavedTensor tensor = tensors.get(wanted.key());
            // The load rejects a tensor that is missing or has another shape.
            if (tensor != null && tensor.shape().size() == wanted.offset().size()) {
                var piece = new TensorSlice(wanted.offset(), wanted.local().shape());
                tensor.shards().stream()
                        .filter(shard ->
                                shard.place().byteLength() > 0 && shard.piece().overlaps(piece))
                        .forEach(shard -> files.set(shard.place().file()));
            }
        }
        return files;
    }

    /** Reads these files, where they are here; once each. */
    void look(BitSet files) {
        files.stream().filter(file -> !looked.get(file)).forEach(this::look);
        looked.or(files);
    }

    private void look(int file) {
        for (String place : saved.manifest().files().get(file).places()) {
            if (good.containsKey(file) || !disk.isThere(Path.of(place))) {
                continue;
            }
            add(file, Path.of(place));
        }
    }

    /** Reads a file at this place, and takes it where every byte is good. */
    boolean add(int file, Path place) {
        SavedCheckpoint there = at(Map.of(file, place));
        try (var chunks = new ChunkReader(there)) {
            for (SavedTensor tensor : there.manifest().tensors()) {
                for (SavedShard shard : tensor.shards()) {
                    for (int chunk = 0; shard.place().file() == file && chunk < shard.chunks(); chunk++) {
                        chunks.check(tensor.key(), shard, chunk);
                    }
                }
            }
            good.put(file, place);
            return true;
        } catch (CheckpointException damage) {
            LOG.warn("a copy in memory cannot be used: {}", damage.getMessage());
            return false;
        }
    }

    /** Those that are here, and good, of the files that were looked at. */
    BitSet files() {
        var files = new BitSet();
        good.keySet().forEach(files::set);
        return files;
    }

    Path place(int file) {
        return good.get(file);
    }

    /** The checkpoint with its data at the good places. */
    SavedCheckpoint checkpoint() {
        return at(good);
    }

    private SavedCheckpoint at(Map<Integer, Path> places) {
        var files = new ArrayList<DataFile>();
        for (DataFile file : saved.manifest().files()) {
            Path place = places.get(files.size());
            files.add(place == null ? file : new DataFile(file.name(), file.bytes(), List.of(place.toString())));
        }
        return saved.withFiles(files);
    }
}
