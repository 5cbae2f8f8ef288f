package io.hirundo.devicecpu.internal.gemm;

import static io.hirundo.devicecpu.internal.Memory.ALL;
import static io.hirundo.devicecpu.internal.Memory.ORDER;
import static io.hirundo.devicecpu.internal.gemm.Microkernel.LANES;
import static io.hirundo.devicecpu.internal.gemm.Microkernel.VECTOR_COLUMNS;

import io.hirundo.devicecpu.internal.Bf16;
import io.hirundo.devicecpu.internal.Memory;
import io.hirundo.tensor.DType;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/**
 * Copies parts of a matrix into the order in which the microkernel reads them: FP32 panels [k, width], zero where the
 * matrix ends. The matrix is stored either way: k along its columns (then it is transposed) or along its rows.
 */
final class Packing {
  /** Columns that are transposed at a time: what is written of a wide panel stays in the first cache. */
  private static final int K_CHUNK = 16;

  /**
   * Part of a stored matrix.
   *
   * @param address of its first element
   * @param rowBytes from a row to the next
   */
  record Part(long address, long rowBytes, DType dtype) {}

  /** {@code panel[i, r] = part[r, i]} for {@code count} rows r and {@code k} columns i. */
  static void transposed(Part part, int count, int k, long panel, int width) {
    for (int first = 0; first < k; first += K_CHUNK) {
      int end = Math.min(k, first + K_CHUNK);
      for (int row = 0; row < width; row++) {
        long from = part.address() + row * part.rowBytes();
        long to = panel + row * 4L;
        if (row >= count) {
          for (int i = first; i < end; i++) {
            Memory.setFloat(to + 4L * i * width, 0);
          }
        } else if (part.dtype() == DType.BF16) {
          for (int i = first; i < end; i++) {
            Memory.setFloat(to + 4L * i * width, Bf16.toFloat(Memory.getShort(from + 2L * i)));
          }
        } else {
          for (int i = first; i < end; i++) {
            Memory.setFloat(to + 4L * i * width, Memory.getFloat(from + 4L * i));
          }
        }
      }
    }
  }

  /** {@code panel[i, c] = part[i, c]} for {@code k} rows i and {@code count} columns c; width is a multiple of a vector. */
  static void straight(Part part, int count, int k, long panel, int width) {
    int elementBytes = part.dtype().byteSize();
    for (int column = 0; column < width; column += VECTOR_COLUMNS) {
      VectorMask<Float> mask = LANES.indexInRange(column, Math.max(column, count));
      long from = part.address() + (long) column * elementBytes;
      long to = panel + column * 4L;
      if (part.dtype() == DType.BF16) {
        for (int i = 0; i < k; i++) {
          Bf16Vectors.load(from + i * part.rowBytes(), mask).intoMemorySegment(ALL, to + 4L * i * width, ORDER);
        }
      } else if (mask.allTrue()) {
        for (int i = 0; i < k; i++) {
          FloatVector.fromMemorySegment(LANES, ALL, from + i * part.rowBytes(), ORDER)
              .intoMemorySegment(ALL, to + 4L * i * width, ORDER);
        }
      } else {
        for (int i = 0; i < k; i++) {
          FloatVector.fromMemorySegment(LANES, ALL, from + i * part.rowBytes(), ORDER, mask)
              .intoMemorySegment(ALL, to + 4L * i * width, ORDER);
        }
      }
    }
  }

  /**
   * {@code strip[s][i, r] = part[i, 6 s + r]} for {@code k} rows i and {@code count} columns 6 s + r: row by row, because
   * the rows of a large matrix are far apart and each is to be fetched once.
   *
   * @param stripBytes from a strip to the next
   */
  static void strips(Part part, int count, int k, long strips, long stripBytes) {
    int width = Microkernel.ROWS;
    int elementBytes = part.dtype().byteSize();
    for (int i = 0; i < k; i++) {
      long from = part.address() + i * part.rowBytes();
      long to = strips + 4L * width * i;
      for (int column = 0; column < count; column += width) {
        int last = Math.min(width, count - column);
        strip(from + (long) column * elementBytes, part.dtype(), last, to);
        to += stripBytes;
      }
    }
  }

  private static void strip(long from, DType dtype, int count, long to) {
    if (VECTOR_COLUMNS >= Microkernel.ROWS) {
      VectorMask<Float> source = LANES.indexInRange(0, count);
      VectorMask<Float> target = LANES.indexInRange(0, Microkernel.ROWS);
      FloatVector six = dtype == DType.BF16
          ? Bf16Vectors.load(from, source)
          : FloatVector.fromMemorySegment(LANES, ALL, from, ORDER, source);
      six.intoMemorySegment(ALL, to, ORDER, target);
      return;
    }
    for (int r = 0; r < Microkernel.ROWS; r++) {
      float value = r >= count ? 0 : dtype == DType.BF16 ? Bf16.toFloat(Memory.getShort(from + 2L * r)) : Memory.getFloat(from + 4L * r);
      Memory.setFloat(to + 4L * r, value);
    }
  }

  private Packing() {}
}
