package io.hirundo.devicecuda.internal.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.hirundo.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * A {@code CUtensorMap}: one or several BF16 or 8-bit matrices in device memory, and the size of the tiles that TMA copies to shared
 * memory. Tiles have swizzled lines of 128 bytes. Elements outside of an extent are zero.
 *
 * @param address a multiple of 16
 * @param columns contiguous elements of a row
 * @param extents rows and outer dimensions, up to three; kernels pass coordinates in this order after the column
 */
public record TensorMap(long address, DType dtype, long columns, List<Extent> extents) {
    /**
     * Rows or an outer dimension.
     *
     * @param count size of the dimension
     * @param stride elements from one index to the next; in bytes a multiple of 16 and of the inner stride
     * @param tile size of a tile in this dimension, up to 256
     */
    public record Extent(long count, long stride, int tile) {}

    /** Size and alignment of a {@code CUtensorMap}; CUDA 12 requires an alignment of 64, CUDA 13 of 128. */
    public static final int BYTES = 128;

    public static final int ALIGNMENT = 128;

    private static final int LINE_BYTES = 128;

    /** {@code CU_TENSOR_MAP_DATA_TYPE_UINT8} and {@code _BFLOAT16}. */
    private static final int UINT8 = 0;

    private static final int BFLOAT16 = 9;

    /** {@code CU_TENSOR_MAP_SWIZZLE_128B}, {@code CU_TENSOR_MAP_L2_PROMOTION_L2_256B}. */
    private static final int SWIZZLE_128B = 3;

    private static final int L2_256B = 3;

    static MethodHandle function(NativeLibrary driver) {
        return driver.function(
                "cuTensorMapEncodeTiled",
                ADDRESS,
                JAVA_INT,
                JAVA_INT,
                JAVA_LONG,
                ADDRESS,
                ADDRESS,
                ADDRESS,
                ADDRESS,
                JAVA_INT,
                JAVA_INT,
                JAVA_INT,
                JAVA_INT);
    }

    /** Encodes the map to memory of {@link #BYTES} bytes. */
    void encode(MethodHandle function, MemorySegment map) {
        int bytes = dtype.byteSize();
        int type = bytes == 1 ? UINT8 : BFLOAT16;
        int rank = 1 + extents.size();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment counts = arena.allocate(JAVA_LONG, rank);
            MemorySegment strides = arena.allocate(JAVA_LONG, rank);
            MemorySegment box = arena.allocate(JAVA_INT, rank);
            MemorySegment steps = arena.allocate(JAVA_INT, rank);
            counts.set(JAVA_LONG, 0, columns);
            box.set(JAVA_INT, 0, LINE_BYTES / bytes);
            steps.set(JAVA_INT, 0, 1);
            for (int i = 1; i < rank; i++) {
                Extent extent = extents.get(i - 1);
                counts.setAtIndex(JAVA_LONG, i, extent.count);
                strides.setAtIndex(JAVA_LONG, i - 1, extent.stride * bytes);
                box.setAtIndex(JAVA_INT, i, extent.tile);
                steps.setAtIndex(JAVA_INT, i, 1);
            }
            int result = (int) function.invokeExact(
                    map, type, rank, address, counts, strides, box, steps, 0, SWIZZLE_128B, L2_256B, 0);
            Result.check("cuTensorMapEncodeTiled", result);
        } catch (Throwable thrown) {
            throw Result.impossible(thrown);
        }
    }
}
