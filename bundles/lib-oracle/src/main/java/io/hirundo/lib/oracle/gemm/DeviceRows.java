package io.hirundo.lib.oracle.gemm;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.precision.MultipliedOperand;
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
    private final HostElements elements;
    /** Scales of quantized values; null for other dtypes, like the block. */
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
        this.elements = HostElements.of(panel, matrix.dtype());
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
        elements.read(at, count, into);
        if (block != null) {
            for (int i = 0; i < count; i++) {
                into[i] *= scale(row, first + i);
            }
        }
    }

    private float scale(long row, int column) {
        return scales.getAtIndex(ValueLayout.JAVA_FLOAT, block.scaleIndex(rows, columns, row, column));
    }

    @Override
    public DType type() {
        return matrix.dtype();
    }

    @Override
    public void readScales(long row, int first, int count, double[] into) {
        if (block == null) {
            MatrixRows.super.readScales(row, first, count, into);
            return;
        }
        for (int i = 0; i < count; i++) {
            into[i] = scale(row, first + i);
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
