package io.hirundo.devicecpu.internal.gemm.library;

import io.hirundo.devicecpu.internal.gemm.Blocking;
import io.hirundo.devicecpu.internal.gemm.ScaledRows;
import io.hirundo.devicecpu.internal.gemm.loops.ResultTile;
import io.hirundo.devicecpu.internal.gemm.loops.ScaledSums;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.Task;
import io.hirundo.kernel.host.PreparedProduct;
import io.hirundo.kernel.host.TileProduct;
import io.hirundo.kernel.host.TileProduct.Operand;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.tensor.DType;

/**
 * A GEMM of two quantized FP8 matrices, cut into tiles of the result, each a task: block by block of k a task decodes both operands to BF16,
 * which has all of their values, lets a library sum their products in FP32, and adds the scaled sums to its tile. Only the order in which
 * the library adds the products of a block is its own. A single row or column is multiplied together with a row or column of zeros,
 * since libraries sum those in another order.
 */
final class LibraryScaledTiles implements Task {
    private static final int EXTENT = ScaleBlock.EXTENT;

    /** A tile and the sums of a block in FP32 stay in the L2 cache, and operands that have been decoded are used often. */
    private static final int MOST_ROWS = 256;

    private static final int MOST_COLUMNS = 256;

    /** Rows of sums begin at a multiple of the largest vectors. */
    private static final int COLUMN_MULTIPLE = 16;

    private final ScaledRows a;
    private final ScaledRows b;
    private final CpuTensor c;
    private final boolean accumulate;
    private final Cut rows;
    private final Cut columns;
    private final int k;
    /** By place of the tile, at the end of rows or columns or not, and of the block of k, the last or not. */
    private final PreparedProduct[] gemms = new PreparedProduct[8];

    LibraryScaledTiles(ScaledRows aMK, ScaledRows bNK, CpuTensor cMN, boolean accumulate, PreparedGemms prepared) {
        a = aMK;
        b = bNK;
        c = cMN;
        this.accumulate = accumulate;
        rows = Cut.of(a.rows(), MOST_ROWS);
        columns = Cut.of(b.rows(), MOST_COLUMNS);
        k = a.columns();
        for (int i = 0; i < gemms.length; i++) {
            int m = rows.size((i & 1) == 0 ? 0 : rows.tiles() - 1);
            int n = columns.size((i & 2) == 0 ? 0 : columns.tiles() - 1);
            gemms[i] = prepared.of(
                    product(Math.max(2, m), Math.max(2, n), (i & 4) == 0 ? Math.min(k, EXTENT) : lastDepth()));
        }
        prepared.evict();
    }

    private int lastDepth() {
        return k - (k - 1) / EXTENT * EXTENT;
    }

    private static TileProduct product(int m, int n, int depth) {
        Operand a = new Operand(DType.BF16, EXTENT, false);
        Operand b = new Operand(DType.BF16, EXTENT, true);
        return new TileProduct(m, n, depth, a, b, new Operand(DType.FP32, stride(n), false), false);
    }

    private static int stride(int columns) {
        return Blocking.roundUp(columns, COLUMN_MULTIPLE);
    }

    int tasks() {
        return rows.tiles() * columns.tiles();
    }

    @Override
    public void run(int task, Scratch scratch) {
        int rowTile = task % rows.tiles();
        int columnTile = task / rows.tiles();
        int row = rows.first(rowTile);
        int column = columns.first(columnTile);
        int m = rows.size(rowTile);
        int n = columns.size(columnTile);
        int stride = stride(Math.max(2, n));
        int gemms = (rows.isLast(rowTile) ? 1 : 0) + (columns.isLast(columnTile) ? 2 : 0);
        long tile = scratch.take(4L * stride * m);
        long sums = scratch.take(4L * stride * Math.max(2, m));
        long rowsMK = room(m, scratch);
        long columnsNK = room(n, scratch);
        long columnScales = scratch.take(4L * stride);
        long lent = scratch.take(Math.max(this.gemms[gemms].scratchBytes(), this.gemms[gemms + 4].scratchBytes()));
        Memory.zero(tile, 4L * stride * m);
        Memory.zero(columnScales, 4L * stride);
        for (int first = 0; first < k; first += EXTENT) {
            int depth = Math.min(EXTENT, k - first);
            a.decodeToBf16(row, m, first, depth, rowsMK);
            b.decodeToBf16(column, n, first, depth, columnsNK);
            for (int i = 0; i < n; i++) {
                Memory.setFloat(columnScales + 4L * i, Memory.getFloat(b.scaleAddress(column + i, first)));
            }
            this.gemms[first + EXTENT < k ? gemms : gemms + 4].run(rowsMK, columnsNK, sums, lent);
            ScaledSums.add(
                    sums,
                    4L * stride,
                    m,
                    n,
                    a.scaleAddress(row, first),
                    a.scaleStride(),
                    columnScales,
                    tile,
                    4L * stride);
        }
        write(tile, 4L * stride, (long) row * b.rows() + column, m, n);
    }

    /** For decoded rows, two at least, of which the second is zeros if there is only one. */
    private static long room(int count, Scratch scratch) {
        long room = scratch.take(2L * EXTENT * Math.max(2, count));
        if (count == 1) {
            Memory.zero(room + 2L * EXTENT, 2L * EXTENT);
        }
        return room;
    }

    private void write(long tile, long tileRowBytes, long index, int m, int n) {
        long to = c.address() + index * c.dtype().byteSize();
        long rowBytes = (long) b.rows() * c.dtype().byteSize();
        if (c.dtype() == DType.BF16) {
            ResultTile.narrow(tile, tileRowBytes, to, rowBytes, m, n, accumulate);
        } else {
            ResultTile.merge(tile, tileRowBytes, to, rowBytes, m, n, accumulate);
        }
    }
}
