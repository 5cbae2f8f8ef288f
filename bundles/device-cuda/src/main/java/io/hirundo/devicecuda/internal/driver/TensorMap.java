package io.hirundo.devicecuda.internal.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.hirundo.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A matrix in memory of the device, of BF16 or 8-bit values, and the size of the tiles of it that kernels copy to shared memory
 * in the background ({@code CUtensorMap}). Tiles have lines of 128 bytes, swizzled; outside of the matrix are zeros.
 *
 * @param address a multiple of 16
 * @param columns of a row; a row is a multiple of 16 bytes
 * @param tileRows lines of a tile, to 256
 */
public record TensorMap(long address, DType dtype, long columns, long rows, int tileRows) {
  /** Of a {@code CUtensorMap}, which is aligned to 64. */
  public static final int BYTES = 128;

  public static final int ALIGNMENT = 64;

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
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment extents = arena.allocateFrom(JAVA_LONG, columns, rows);
      MemorySegment strides = arena.allocateFrom(JAVA_LONG, columns * bytes);
      MemorySegment box = arena.allocateFrom(JAVA_INT, LINE_BYTES / bytes, tileRows);
      MemorySegment steps = arena.allocateFrom(JAVA_INT, 1, 1);
      int result =
          (int) function.invokeExact(map, type, 2, address, extents, strides, box, steps, 0, SWIZZLE_128B, L2_256B, 0);
      Result.check("cuTensorMapEncodeTiled", result);
    } catch (Throwable thrown) {
      throw Result.impossible(thrown);
    }
  }
}
