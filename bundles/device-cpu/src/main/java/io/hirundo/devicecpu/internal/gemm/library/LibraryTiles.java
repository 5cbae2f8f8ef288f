package io.hirundo.devicecpu.internal.gemm.library;

import io.hirundo.devicecpu.internal.gemm.GemmOperands;
import io.hirundo.devicecpu.internal.gemm.GemmOperands.Extents;
import io.hirundo.devicecpu.internal.gemm.loops.ResultTile;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.Task;
import io.hirundo.kernel.host.PreparedProduct;
import io.hirundo.kernel.host.TileProduct;
import io.hirundo.kernel.host.TileProduct.Operand;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;

/**
 * A GEMM cut into tiles of the result, each a task, and each tile into K-blocks that a library multiplies one after the other. K-blocks
 * follow from K alone. Tiles follow from M, N and the number of workers: a library sums an element in the same order in any
 * tile, so they change no bits. Libraries have special kernels for one row or column, which sum in another order, so no tile has one: a
 * single row is computed twice, in scratch memory.
 */
final class LibraryTiles implements Task {
    /** oneDNN multiplies deeper blocks at half the speed or less where b is stored row by row: they do not fit the L2 cache. */
    private static final int MOST_K = 768;

    /** Larger tiles are not faster, and smaller ones pack the same operands more often. */
    private static final int MOST_ROWS = 1024;

    private static final int MOST_COLUMNS = 512;

    /** Below this, packing operands costs too much of a tile's time. */
    private static final int LEAST_ROWS = 128;

    private static final int LEAST_COLUMNS = 64;

    /** Two tasks per worker, so that idle workers take over from delayed ones. */
    private static final int TASKS_OF_WORKER = 2;

    private final GemmOperands operands;
    private final boolean accumulate;
    private Cut rows;
    private Cut columns;
    private final Cut depth;
    /** Whether the result is BF16. */
    private final boolean narrow;
    /** By place of the tile, at the end of rows or columns or not, and of the K-block: the first, the last and others. */
    private final PreparedProduct[] gemms = new PreparedProduct[12];

    LibraryTiles(GemmOperands operands, boolean accumulate, PreparedGemms prepared, int workers) {
        this.operands = operands;
        this.accumulate = accumulate;
        Extents extents = operands.extents();
        depth = Cut.of(extents.k(), MOST_K);
        narrow = operands.c().dtype() == DType.BF16;
        rows = Cut.of(extents.m(), MOST_ROWS);
        // A BF16 tile with N <= M needs no FP32 sums. With few rows such tiles would be too small.
        boolean avoidsSums = narrow && rows.tile() >= LEAST_COLUMNS;
        columns = Cut.of(extents.n(), avoidsSums ? Math.min(MOST_COLUMNS, rows.tile() & -Cut.ALIGNMENT) : MOST_COLUMNS);
        boolean halved = true;
        while (tasks() < TASKS_OF_WORKER * workers && halved) {
            halved = halve();
        }
        // The library prepares only tiles whose own buffers fit: each takes it milliseconds.
        halved = true;
        while (bufferBytes() > Scratch.WORKER_BYTES && halved) {
            halved = halve();
        }
        prepare(prepared);
        while (bufferBytes() + libraryScratchBytes() > Scratch.WORKER_BYTES && halve()) {
            prepare(prepared);
        }
        prepared.evict();
    }

    /** Makes tiles half as large, in their longer direction; false if they are small already. */
    private boolean halve() {
        if (rows.tile() > LEAST_ROWS && (rows.tile() > columns.tile() || columns.tile() <= LEAST_COLUMNS)) {
            rows = rows.halved();
        } else if (columns.tile() > LEAST_COLUMNS) {
            columns = columns.halved();
        } else {
            return false;
        }
        return true;
    }

    private void prepare(PreparedGemms prepared) {
        for (int i = 0; i < gemms.length; i++) {
            int block = blockOfKind(i / 4);
            if (block >= 0) {
                int row = (i & 1) == 0 ? 0 : rows.tiles() - 1;
                int column = (i & 2) == 0 ? 0 : columns.tiles() - 1;
                gemms[i] = prepared.of(product(rows.size(row), columns.size(column), block));
            }
        }
    }

    /** Scratch memory of a task at most, without the library's. */
    private long bufferBytes() {
        long sums = 0;
        for (int row = 0; row < rows.tiles(); row += Math.max(1, rows.tiles() - 1)) {
            for (int column = 0; column < columns.tiles(); column += Math.max(1, columns.tiles() - 1)) {
                int m = rows.size(row);
                int n = columns.size(column);
                sums = Math.max(sums, sumsApart(m, n) ? 4L * Math.max(2, m) * n : 0);
            }
        }
        long copies = isSingleRow()
                ? 2 * ((long) operands.extents().k() * operands.a().dtype().byteSize() + 4 * (columns.tile() + 1L))
                : 0;
        return sums + copies + 4 * Memory.ALIGNMENT_BYTES;
    }

    private long libraryScratchBytes() {
        return Arrays.stream(gemms)
                .filter(Objects::nonNull)
                .mapToLong(PreparedProduct::scratchBytes)
                .max()
                .orElse(0);
    }

    /** A K-block of this kind: 0 the first, 1 those between, 2 the last; -1 if there is none. */
    private int blockOfKind(int kind) {
        int last = depth.tiles() - 1;
        return switch (kind) {
            case 0 -> 0;
            case 1 -> last > 1 ? 1 : -1;
            default -> last > 0 ? last : -1;
        };
    }

    private PreparedProduct product(int tile, int block) {
        int kind = block == 0 ? 0 : block < depth.tiles() - 1 ? 1 : 2;
        return gemms[tile + 4 * kind];
    }

    int tasks() {
        return rows.tiles() * columns.tiles();
    }

    private boolean isSingleRow() {
        return operands.extents().m() == 1;
    }

    /**
     * Whether a tile's sums are kept in FP32 until they are complete. A BF16 result would round those of every K-block. oneDNN also sums in
     * another order into some BF16 results with N > M; into FP32 results it never does.
     */
    private boolean sumsApart(int m, int n) {
        return narrow && (depth.tiles() > 1 || n > m);
    }

    private TileProduct product(int m, int n, int block) {
        boolean apart = sumsApart(m, n);
        boolean add = block > 0 || accumulate && !apart;
        Extents extents = operands.extents();
        long aColumns = operands.aTransposed() && !isSingleRow() ? extents.m() : extents.k();
        Operand a = new Operand(operands.a().dtype(), aColumns, operands.aTransposed() && !isSingleRow());
        Operand b = new Operand(
                operands.b().dtype(), operands.bTransposed() ? extents.k() : extents.n(), operands.bTransposed());
        Operand c = apart
                ? new Operand(DType.FP32, n, false)
                : new Operand(operands.c().dtype(), isSingleRow() ? n : extents.n(), false);
        return new TileProduct(Math.max(2, m), n, depth.size(block), a, b, c, add);
    }

    @Override
    public void run(int task, Scratch scratch) {
        int rowTile = task % rows.tiles();
        int columnTile = task / rows.tiles();
        int row = rows.first(rowTile);
        int column = columns.first(columnTile);
        int m = rows.size(rowTile);
        int n = columns.size(columnTile);
        long a = address(operands.a(), operands.aIndex(row, 0));
        long b = address(operands.b(), operands.bIndex(0, column));
        long c = address(operands.c(), (long) row * operands.extents().n() + column);
        boolean apart = sumsApart(m, n);
        long sums = apart ? scratch.take(4L * Math.max(2, m) * n) : c;
        if (isSingleRow()) {
            a = twice(a, (long) operands.extents().k() * operands.a().dtype().byteSize(), scratch);
            sums = apart ? sums : twice(c, (long) n * operands.c().dtype().byteSize(), scratch);
        }
        multiply((rows.isLast(rowTile) ? 1 : 0) + (columns.isLast(columnTile) ? 2 : 0), a, b, sums, scratch);
        if (apart) {
            ResultTile.narrow(sums, 4L * n, c, 2L * operands.extents().n(), m, n, accumulate);
        } else if (isSingleRow()) {
            copy(sums, c, (long) n * operands.c().dtype().byteSize());
        }
    }

    /** The K-blocks of a tile. */
    private void multiply(int tile, long a, long b, long c, Scratch scratch) {
        long bytes = 0;
        for (int block = 0; block < depth.tiles(); block++) {
            bytes = Math.max(bytes, product(tile, block).scratchBytes());
        }
        long lent = scratch.take(bytes);
        int elementBytes = operands.a().dtype().byteSize();
        for (int block = 0; block < depth.tiles(); block++) {
            int k = depth.first(block);
            product(tile, block)
                    .run(a + operands.aIndex(0, k) * elementBytes, b + operands.bIndex(k, 0) * elementBytes, c, lent);
        }
    }

    /** A row's bytes in scratch memory, two times. */
    private static long twice(long row, long bytes, Scratch scratch) {
        long copies = scratch.take(2 * bytes);
        copy(row, copies, bytes);
        copy(row, copies + bytes, bytes);
        return copies;
    }

    private static void copy(long from, long to, long bytes) {
        MemorySegment.copy(Memory.ALL, from, Memory.ALL, to, bytes);
    }

    private static long address(CpuTensor tensor, long index) {
        return tensor.address() + index * tensor.dtype().byteSize();
    }
}
