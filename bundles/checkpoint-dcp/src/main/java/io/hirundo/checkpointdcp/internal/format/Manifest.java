package io.hirundo.checkpointdcp.internal.format;

import java.util.List;
import java.util.Map;

/**
 * All that a checkpoint says of itself. Fields that a later version adds are passed over by this one; a version with which
 * that would be wrong has another number.
 *
 * @param step steps that were done
 * @param chunkBytes bytes under one checksum
 * @param values of the training state, as JSON
 */
public record Manifest(
        Header header,
        long step,
        int chunkBytes,
        Map<String, Object> values,
        List<DataFile> files,
        List<SavedTensor> tensors) {
    public static final String FILE = "manifest.json";
    public static final String FORMAT = "hirundo-checkpoint";
    static final int VERSION = 1;

    /**
     * What kind of file this is.
     *
     * @param format always {@link #FORMAT}
     * @param id of the save, random: the same for all ranks
     * @param createdBy bundle and version
     */
    public record Header(String format, int version, String id, String createdBy) {
        public static Header of(String id, String createdBy) {
            return new Header(FORMAT, VERSION, id, createdBy);
        }
    }

    public Manifest {
        values = Map.copyOf(values);
        files = List.copyOf(files);
        tensors = List.copyOf(tensors);
    }

    public long dataBytes() {
        return files.stream().mapToLong(DataFile::bytes).sum();
    }
}
