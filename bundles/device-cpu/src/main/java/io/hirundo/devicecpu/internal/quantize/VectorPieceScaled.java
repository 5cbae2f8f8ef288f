package io.hirundo.devicecpu.internal.quantize;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.quantize.ScaledOperands.Scaled;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.tensor.Fp8;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.kernel.scaled.MatrixRun;
import io.hirundo.kernel.scaled.PieceScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.Tensor;

/** 8-bit matrices from pieces with the Vector API, bit for bit as {@link ReferencePieceScaled} makes them. */
public final class VectorPieceScaled implements PieceScaledKernels {
    private static final int EXTENT = ScaleBlock.EXTENT;

    private final WorkerPool pool;

    public VectorPieceScaled(WorkerPool pool) {
        this.pool = pool;
    }

    /** Work on elements of one row in one square. */
    @FunctionalInterface
    private interface Stretch {
        /**
         * Does it.
         *
         * @param i where they begin in the run
         * @param index of the square's magnitude
         */
        void run(long i, int count, long index);
    }

    @Override
    public void measure(Queue queue, MatrixRun x, Tensor amax) {
        PieceOperands operands = PieceOperands.of(x, amax);
        stretches(operands, (i, count, index) -> {
            long at = operands.amax().address() + 4 * index;
            Memory.setFloat(at, Fp8Loops.maximum(operands.x().address() + 4 * i, count, Memory.getFloat(at)));
        });
    }

    @Override
    public void quantize(Queue queue, MatrixRun x, Tensor amax, ScaleRule rule, Tensor codes) {
        PieceOperands operands = PieceOperands.of(x, amax);
        CpuTensor to = operands.codes(codes);
        Fp8 format = Fp8.of(to.dtype());
        stretches(
                operands,
                (i, count, index) -> Fp8Loops.encode(
                        operands.x().address() + 4 * i,
                        count,
                        operands.scale(index, format, rule),
                        format,
                        to.address() + i));
    }

    /** Rows of squares side by side, so that no two tasks have elements of the same. */
    private void stretches(PieceOperands operands, Stretch body) {
        long end = operands.first() + operands.x().elements();
        long columns = operands.columns();
        if (end == operands.first()) {
            return;
        }
        long bandElements = EXTENT * columns;
        long firstBand = operands.first() / bandElements;
        pool.run(Math.toIntExact((end - 1) / bandElements - firstBand + 1), (task, scratch) -> {
            long at = Math.max(operands.first(), (firstBand + task) * bandElements);
            long endOfBand = Math.min(end, (firstBand + task + 1) * bandElements);
            while (at < endOfBand) {
                long row = at / columns;
                long column = at % columns;
                long endOfBlock = row * columns + Math.min(columns, (column / EXTENT + 1) * EXTENT);
                int count = (int) (Math.min(endOfBlock, endOfBand) - at);
                body.run(at - operands.first(), count, operands.index(row, column));
                at += count;
            }
        });
    }

    @Override
    public void complete(Queue queue, Tensor amax, ScaleRule rule, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
        var both = PieceOperands.Both.of(amax, rowsMK, columnsKM);
        int tilesOfRow = Blocks.count(both.rowsMK().columns(), EXTENT);
        pool.run(tilesOfRow * Blocks.count(both.rowsMK().rows(), EXTENT), (task, scratch) -> {
            long row = (long) task / tilesOfRow * EXTENT;
            long column = (long) task % tilesOfRow * EXTENT;
            both.setScales(row, column, rule);
            Scaled straight = both.rowsMK();
            Scaled transposed = both.columnsKM();
            int rows = (int) Math.min(EXTENT, straight.rows() - row);
            int columns = (int) Math.min(EXTENT, straight.columns() - column);
            long fours = scratch.take(QuantizedTransposition.FOURS_BYTES);
            QuantizedTransposition.tile(
                    straight.codeAddress(row, column),
                    straight.columns(),
                    rows,
                    columns,
                    transposed.codeAddress(column, row),
                    transposed.columns(),
                    fours);
        });
    }
}
