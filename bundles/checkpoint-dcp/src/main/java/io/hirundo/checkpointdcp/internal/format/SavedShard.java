package io.hirundo.checkpointdcp.internal.format;

import io.hirundo.lib.tensor.TensorSlice;
import io.hirundo.tensor.Shape;
import java.util.HexFormat;
import java.util.List;

/**
 * A piece of a tensor in a data file, row-major and little-endian.
 *
 * @param offset where it begins in the tensor, one entry per dimension
 * @param shape its extents
 * @param place where its bytes are
 * @param crc32c of each of its chunks, eight hexadecimal digits a chunk; the last chunk may be short
 */
public record SavedShard(List<Long> offset, List<Long> shape, Place place, String crc32c) {
    private static final int DIGITS = 8;

    /**
     * Bytes in a data file.
     *
     * @param file index into the manifest's files
     */
    public record Place(int file, long byteOffset, long byteLength) {}

    SavedShard inFile(int file) {
        return new SavedShard(offset, shape, new Place(file, place.byteOffset(), place.byteLength()), crc32c);
    }

    public TensorSlice piece() {
        return new TensorSlice(offset, new Shape(shape));
    }

    public int chunks() {
        return crc32c.length() / DIGITS;
    }

    public int crc32c(int chunk) {
        return HexFormat.fromHexDigits(crc32c, chunk * DIGITS, (chunk + 1) * DIGITS);
    }
}
