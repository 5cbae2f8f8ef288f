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

/** The data files of a checkpoint in memory that are on this node, and whose checksums are valid. */
final class LocalDataFiles {
    private static final Logger LOG = LoggerFactory.getLogger(LocalDataFiles.class);

    private final SavedCheckpoint saved;
    private final FileOperations disk;
    private final Map<Integer, Path> validPaths = new TreeMap<>();
    private final BitSet verified = new BitSet();

    LocalDataFiles(SavedCheckpoint saved, FileOperations disk) {
        this.saved = saved;
        this.disk = disk;
    }

    /** Data files that hold elements of these shards, as indices into the manifest's list of files. */
    static BitSet neededFor(SavedCheckpoint saved, List<StateShard> into) {
        Map<String, SavedTensor> tensors = new TreeMap<>();
        saved.manifest().tensors().forEach(tensor -> tensors.put(tensor.key(), tensor));
        var files = new BitSet();
        for (StateShard target : into) {
            SavedTensor tensor = tensors.get(target.key());
            // The load rejects a tensor that is missing or has another shape.
            if (tensor != null && tensor.shape().size() == target.offset().size()) {
                var slice = new TensorSlice(target.offset(), target.local().shape());
                tensor.shards().stream()
                        .filter(shard ->
                                shard.place().byteLength() > 0 && shard.piece().overlaps(slice))
                        .forEach(shard -> files.set(shard.place().file()));
            }
        }
        return files;
    }

    /** Verifies those of these files that are on this node. Reads each at most once. */
    void verify(BitSet files) {
        files.stream().filter(file -> !verified.get(file)).forEach(this::verify);
        verified.or(files);
    }

    private void verify(int file) {
        for (String path : saved.manifest().files().get(file).places()) {
            if (!validPaths.containsKey(file) && disk.isThere(Path.of(path))) {
                verify(file, Path.of(path));
            }
        }
    }

    /** Reads a file at this path, and uses that path if all its checksums are valid. */
    boolean verify(int file, Path path) {
        SavedCheckpoint candidate = withPaths(Map.of(file, path));
        try (var chunks = new ChunkReader(candidate)) {
            for (SavedTensor tensor : candidate.manifest().tensors()) {
                for (SavedShard shard : tensor.shards()) {
                    for (int chunk = 0; shard.place().file() == file && chunk < shard.chunks(); chunk++) {
                        chunks.check(tensor.key(), shard, chunk);
                    }
                }
            }
            validPaths.put(file, path);
            return true;
        } catch (CheckpointException damage) {
            LOG.warn("a copy in memory cannot be used: {}", damage.getMessage());
            return false;
        }
    }

    /** Files with a valid copy on this node, of those that were verified. */
    BitSet valid() {
        var files = new BitSet();
        validPaths.keySet().forEach(files::set);
        return files;
    }

    /** A valid copy of this file. */
    Path path(int file) {
        return validPaths.get(file);
    }

    /** The checkpoint with the paths of valid copies. */
    SavedCheckpoint checkpoint() {
        return withPaths(validPaths);
    }

    private SavedCheckpoint withPaths(Map<Integer, Path> paths) {
        var files = new ArrayList<DataFile>();
        for (DataFile file : saved.manifest().files()) {
            Path path = paths.get(files.size());
            files.add(path == null ? file : new DataFile(file.name(), file.bytes(), List.of(path.toString())));
        }
        return saved.withFiles(files);
    }
}
