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
 * A matrix in memory of the device, or several, of BF16 or 8-bit values, and the size of the tiles of it that kernels copy to shared
 * memory in the background ({@code CUtensorMap}). Tiles have lines of 128 bytes, swizzled; outside of each extent are zeros.
 *
 * @param address a multiple of 16
 * @param columns of a row, whose values are neighbours
 * @param extents rows and what else there are, to three; kernels name columns and these in their order
 */
public record TensorMap(long address, DType dtype, long columns, List<Extent> extents) {
  /**
   * Rows, or what else is side by side.
   *
   * @param count that there are
   * @param stride values from one to the next; in bytes a multiple of 16, and of the stride before
   * @param tile that a tile has, to 256
   */
  public record Extent(long count, long stride, int tile) {}

  /** Of a {@code CUtensorMap}, which CUDA 12 aligns to 64, and CUDA 13 to as many. */
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
        "cuTensorMapEncodeTiled", ADDRESS, JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_INT, JAVA_INT,
        JAVA_INT, JAVA_INT);
  }

  /** Writes what the driver makes of it to memory of {@link #BYTES}. */
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
      int result =
          (int) function.invokeExact(map, type, rank, address, counts, strides, box, steps, 0, SWIZZLE_128B, L2_256B, 0);
      Result.check("cuTensorMapEncodeTiled", result);
    } catch (Throwable thrown) {
      throw Result.impossible(thrown);
    }
  }
}
