package io.hirundo.lib.precision;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Measures quantization error on the host, some rows at a time: for diagnostics, not for every step. */
final class RoundingMeasure {
    private static final long CHUNK_ELEMENTS = 1 << 20;

    private final ScaledMatrix rounded;
    private final float[] values;
    private final float largest;
    private final long rows;
    private final long columns;
    private RoundingLoss loss = new RoundingLoss(0, 0, 0, 0, 0);

    private RoundingMeasure(ScaledMatrix rounded) {
        this.rounded = rounded;
        this.values = Fp8Codes.values(rounded.codesMK().dtype());
        this.largest = Fp8Codes.largest(rounded.codesMK().dtype());
        this.rows = rounded.codesMK().shape().rows();
        this.columns = rounded.codesMK().shape().dim(-1);
    }

    /** {@code x} is FP32 or BF16; {@code rounded} is x quantized, not transposed. Waits for the queue. */
    static RoundingLoss of(Device device, Queue queue, Tensor x, ScaledMatrix rounded) {
        var measure = new RoundingMeasure(rounded);
        // A device that only counts has no values.
        if (!device.computes()) {
            return measure.loss;
        }
        measure.compare(device, queue, x.reshape(measure.rows, measure.columns));
        return measure.loss;
    }

    private void compare(Device device, Queue queue, Tensor xMK) {
        try (Arena whole = Arena.ofConfined()) {
            MemorySegment scales = download(device, queue, rounded.inverseScales(), whole);
            long chunkRows = Math.max(1, CHUNK_ELEMENTS / Math.max(1, columns));
            for (long first = 0; first < rows; first += chunkRows) {
                long count = Math.min(chunkRows, rows - first);
                try (Arena chunk = Arena.ofConfined()) {
                    MemorySegment exact = download(device, queue, xMK.rows(first, count), chunk);
                    MemorySegment codes =
                            download(device, queue, rounded.codesMK().rows(first, count), chunk);
                    queue.drain();
                    compare(first, count, new Host(exact, xMK.dtype()), codes, scales);
                }
            }
        }
    }

    private static MemorySegment download(Device device, Queue queue, Tensor tensor, Arena arena) {
        MemorySegment host = arena.allocate(tensor.byteSize(), 64);
        device.transfer().download(queue, tensor, host);
        return host;
    }

    /** Elements in host memory. */
    private record Host(MemorySegment memory, DType dtype) {
        float at(long index) {
            return switch (dtype) {
                case FP32 -> memory.getAtIndex(ValueLayout.JAVA_FLOAT, index);
                case BF16 -> Float.intBitsToFloat(memory.getAtIndex(ValueLayout.JAVA_SHORT, index) << 16);
                default -> throw new IllegalArgumentException("operands are FP32 or BF16, not " + dtype);
            };
        }
    }

    private void compare(long firstRow, long count, Host exact, MemorySegment codes, MemorySegment scales) {
        long nonZero = 0;
        long vanished = 0;
        long atLargest = 0;
        double errorSquares = 0;
        double squares = 0;
        for (long index = 0; index < count * columns; index++) {
            float x = exact.at(index);
            if (x == 0 || Float.isNaN(x)) {
                continue;
            }
            float code = values[codes.get(ValueLayout.JAVA_BYTE, index) & 0xff];
            nonZero++;
            vanished += code == 0 ? 1 : 0;
            atLargest += Math.abs(code) == largest ? 1 : 0;
            if (Float.isFinite(x)) {
                long scale = rounded.block().scaleIndex(rows, columns, firstRow + index / columns, index % columns);
                double error = code * scales.getAtIndex(ValueLayout.JAVA_FLOAT, scale) - (double) x;
                errorSquares += error * error;
                squares += (double) x * x;
            }
        }
        loss = loss.plus(new RoundingLoss(nonZero, vanished, atLargest, errorSquares, squares));
    }
}
