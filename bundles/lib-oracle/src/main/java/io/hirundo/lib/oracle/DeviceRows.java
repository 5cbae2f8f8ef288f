package io.hirundo.lib.oracle;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ScaleBlock;
import io.hirundo.kernel.ScaledMatrix;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.support.Fp8Codes;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A matrix on a device, copied to the host some rows at a time. Its tensors are lent and must not change meanwhile. Belongs to one
 * thread.
 */
public final class DeviceRows implements MatrixRows, AutoCloseable {
  private static final long PANEL_ELEMENTS = 1 << 18;

  private final Device device;
  private final Queue queue;
  private final Tensor matrix;
  private final long rows;
  private final int columns;
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment panel;
  private final long panelRows;
  /** A row of FP32 and one of BF16: arrays are converted many elements at once, memory outside of the heap is not. */
  private final float[] floats;

  private final short[] shorts;
  /** Of 8-bit codes; else null. */
  private final float[] codeValues;

  private final MemorySegment scales;
  private final ScaleBlock block;
  private long firstRow;
  private long heldRows;

  /** Waits for the queue whenever it copies. */
  public DeviceRows(Device device, Queue queue, Tensor matrix) {
    this(device, queue, matrix, null);
  }

  /** What a product multiplies. */
  public static DeviceRows of(Device device, Queue queue, MultipliedOperand operand) {
    return new DeviceRows(device, queue, operand.values(), operand.scaled().orElse(null));
  }

  private DeviceRows(Device device, Queue queue, Tensor matrix, ScaledMatrix scaled) {
    this.device = device;
    this.queue = queue;
    this.matrix = matrix.reshape(matrix.shape().rows(), matrix.shape().dim(-1));
    this.rows = matrix.shape().rows();
    this.columns = Math.toIntExact(matrix.shape().dim(-1));
    this.panelRows = Math.clamp(PANEL_ELEMENTS / Math.max(1, columns), 1, Math.max(1, rows));
    this.panel = arena.allocate(panelRows * columns * matrix.dtype().byteSize(), Double.BYTES);
    this.floats = new float[matrix.dtype() == DType.FP32 ? columns : 0];
    this.shorts = new short[matrix.dtype() == DType.BF16 ? columns : 0];
    this.codeValues = scaled == null ? null : Fp8Codes.values(matrix.dtype());
    this.block = scaled == null ? null : scaled.block();
    this.scales = scaled == null ? null : download(scaled.inverseScales());
  }

  private MemorySegment download(Tensor tensor) {
    MemorySegment host = arena.allocate(tensor.byteSize(), Double.BYTES);
    device.transfer().download(queue, tensor, host);
    queue.drain();
    return host;
  }

  @Override
  public long rows() {
    return rows;
  }

  @Override
  public int columns() {
    return columns;
  }

  @Override
  public void read(long row, int first, int count, double[] into) {
    if (row < firstRow || row >= firstRow + heldRows) {
      hold(row);
    }
    long at = (row - firstRow) * columns + first;
    DType dtype = matrix.dtype();
    switch (dtype) {
      case FP64 -> MemorySegment.copy(panel, ValueLayout.JAVA_DOUBLE, at * Double.BYTES, into, 0, count);
      case FP32 -> {
        MemorySegment.copy(panel, ValueLayout.JAVA_FLOAT, at * Float.BYTES, floats, 0, count);
        for (int i = 0; i < count; i++) {
          into[i] = floats[i];
        }
      }
      case BF16 -> {
        MemorySegment.copy(panel, ValueLayout.JAVA_SHORT, at * Short.BYTES, shorts, 0, count);
        for (int i = 0; i < count; i++) {
          into[i] = Float.intBitsToFloat(shorts[i] << 16);
        }
      }
      case FP8_E4M3, FP8_E5M2 -> {
        for (int i = 0; i < count; i++) {
          long scale = block.scaleIndex(rows, columns, row, first + i);
          into[i] = codeValues[panel.get(ValueLayout.JAVA_BYTE, at + i) & 0xff] * (double) scales.getAtIndex(ValueLayout.JAVA_FLOAT, scale);
        }
      }
      case INT32 -> throw new IllegalArgumentException("no operand of a product is " + dtype);
    }
  }

  private void hold(long row) {
    heldRows = Math.min(panelRows, rows - row);
    firstRow = row;
    device.transfer().download(queue, matrix.rows(row, heldRows), panel);
    queue.drain();
  }

  @Override
  public void close() {
    arena.close();
  }
}
