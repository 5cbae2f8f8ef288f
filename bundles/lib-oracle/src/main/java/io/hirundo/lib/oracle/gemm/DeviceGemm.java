package io.hirundo.lib.oracle.gemm;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.lib.oracle.Rounding;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.tensor.Tensor;

/** Checks a GEMM on a device against the operands that it multiplied, which are lent. Confined to one thread. */
public final class DeviceGemm implements AutoCloseable {
    private final Device device;
    private final Queue queue;
    private final MultipliedOperand left;
    private final MultipliedOperand right;
    private final DeviceRows leftRows;
    private final DeviceRows rightRows;

    /**
     * Waits for the queue, as all methods do.
     *
     * @param left has the rows of the result
     * @param right has its columns
     */
    public DeviceGemm(Device device, Queue queue, MultipliedOperand left, MultipliedOperand right) {
        this.device = device;
        this.queue = queue;
        this.left = left;
        this.right = right;
        this.leftRows = DeviceRows.of(device, queue, left);
        this.rightRows = DeviceRows.of(device, queue, right);
    }

    /** What {@link #addedError} needs of the result before the GEMM. */
    public static ResultSums sums(Device device, Queue queue, Tensor result) {
        try (var rows = new DeviceRows(device, queue, result)) {
            return ResultSums.of(rows);
        }
    }

    /** The error if the GEMM overwrote {@code result}. */
    public GemmError error(Tensor result) {
        return GemmErrorCheck.of(leftSums(), rightSums(), sums(device, queue, result), Rounding.of(result.dtype()));
    }

    /** The error if the GEMM accumulated into {@code result}. */
    public GemmError addedError(ResultSums before, Tensor result) {
        return GemmErrorCheck.added(
                leftSums(), rightSums(), before, sums(device, queue, result), Rounding.of(result.dtype()));
    }

    private OperandSums leftSums() {
        return OperandSums.left(leftRows, left.contractedLast());
    }

    private OperandSums rightSums() {
        return OperandSums.right(rightRows, right.contractedLast());
    }

    @Override
    public void close() {
        leftRows.close();
        rightRows.close();
    }
}
