package io.hirundo.devicecpu.internal.quantize;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.quantize.ScaledOperands.Scaled;
import io.hirundo.devicecpu.internal.tensor.Bf16;
import io.hirundo.devicecpu.internal.tensor.Fp8;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.ElementwiseLoops;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.tensor.DType;

/**
 * A tile of a matrix that is quantized: first the largest magnitudes of its blocks, then their scales, then codes row by row,
 * which for a transposed result are transposed in the end. BF16 goes as it is, in 16-bit integers, where scales are powers of two
 * and all is finite ({@link Fp8Shorts}); else its rows are widened one by one. Rows whose columns have scales are multiplied by
 * these first.
 */
final class QuantizedTile {
    /** Of a tile, at most. */
    static final int ELEMENTS = 1 << 16;

    /** Columns of a tile, at most. */
    static final int LONG_ROW = 4096;

    private static final int EXTENT = ScaleBlock.EXTENT;

    /** How codes are made. */
    private enum Way {
        /** {@link Fp8Shorts}. */
        SHORTS,
        /** {@link E4m3Loops}. */
        LIMITED,
        /** {@link Fp8Loops}. */
        ANY
    }

    private final ScaledOperands operands;
    private final Scaled result;
    private final long row;
    private final long column;
    private final int rows;
    private final int columns;
    private final Scratch scratch;
    private final boolean isBf16;
    private final long rowBytes;
    private final long begin;

    /** Of BF16 in FP32, and of what has the scales of columns. */
    private final long wideRow;

    /** Of every block a vector; or of every column. */
    private final long maxima;

    /** Of every block, or of every column. */
    private final long scales;

    /** Of every column, for {@link Fp8Shorts}. */
    private final long offsets;

    QuantizedTile(ScaledOperands operands, long row, long column, int rows, int columns, Scratch scratch) {
        this.operands = operands;
        this.result = operands.result();
        this.row = row;
        this.column = column;
        this.rows = rows;
        this.columns = columns;
        this.scratch = scratch;
        int elementBytes = operands.x().dtype().byteSize();
        this.isBf16 = operands.x().dtype() == DType.BF16;
        this.rowBytes = operands.columns() * elementBytes;
        this.begin = operands.x().address() + row * rowBytes + column * elementBytes;
        this.wideRow = scratch.take(LONG_ROW * 4);
        this.maxima = scratch.take(LONG_ROW * 4);
        this.scales = scratch.take(LONG_ROW * 4);
        this.offsets = scratch.take(LONG_ROW * 2);
    }

    /** {@code scaleOfMatrix}: of a result that has one scale. */
    void run(float scaleOfMatrix) {
        if (result.block() == ScaleBlock.MATRIX) {
            // Every tile writes it, with the same bits: no task comes before or after all of them.
            result.inverseScales().setDouble(0, 1 / scaleOfMatrix);
            ElementwiseLoops.fill(scales, blocks(), scaleOfMatrix);
            encodeBlocks(Way.ANY);
        } else if (result.block() == ScaleBlock.SQUARE) {
            encodeBlocks(measureBlocks(0, rows));
        } else if (operands.transposed()) {
            quantizeColumns();
        } else {
            for (int r = 0; r < rows; r++) {
                Way way = measureBlocks(r, 1);
                encodeRow(r, way, result.codeAddress(row + r, column));
            }
        }
    }

    private int blocks() {
        return Blocks.count(columns, EXTENT);
    }

    private boolean isShort() {
        return isBf16 && operands.rule() == ScaleRule.POWER_OF_TWO;
    }

    private long address(int r) {
        return begin + r * rowBytes;
    }

    /** A row as FP32, until the next one. */
    private long wide(int r) {
        if (!isBf16) {
            return address(r);
        }
        ElementwiseLoops.fromBf16(address(r), columns, wideRow);
        return wideRow;
    }

    /** Sets the scales of blocks of some rows, and tells how they can be encoded. */
    private Way measureBlocks(int firstRow, int height) {
        Memory.zero(maxima, blocks() * (long) Lanes.BYTES);
        for (int r = firstRow; r < firstRow + height; r++) {
            if (isBf16) {
                Fp8Shorts.blockMaxima(address(r), columns, maxima);
            } else {
                Fp8Loops.blockMaxima(address(r), columns, maxima);
            }
        }
        boolean inShorts = isShort();
        boolean limited = result.format() == Fp8.E4M3;
        for (int b = 0; b < blocks(); b++) {
            long vector = maxima + b * (long) Lanes.BYTES;
            int bits = isBf16 ? Fp8Shorts.largest(vector) << 16 : Fp8Loops.largest(vector);
            float amax = bits <= Fp8Loops.INFINITY ? Float.intBitsToFloat(bits) : maximumOfNumbers(firstRow, height, b);
            float scale = operands.scale(amax);
            limited = limited && amax < Float.POSITIVE_INFINITY;
            inShorts = inShorts && Fp8Shorts.canEncode(bits >>> 16, scale, result.format());
            if (inShorts) {
                int count = Math.min(EXTENT, columns - b * EXTENT);
                Fp8Shorts.fill(offsets + b * EXTENT * 2L, count, Fp8Shorts.offset(scale, result.format()));
            }
            Memory.setFloat(scales + b * 4L, scale);
            long at = column + b * (long) EXTENT;
            long target =
                    operands.transposed() ? result.scaleAddress(at, row) : result.scaleAddress(row + firstRow, at);
            Memory.setFloat(target, 1 / scale);
        }
        return inShorts ? Way.SHORTS : limited ? Way.LIMITED : Way.ANY;
    }

    /** Of a block in which something is not a number. */
    private float maximumOfNumbers(int firstRow, int height, int block) {
        int count = Math.min(EXTENT, columns - block * EXTENT);
        float amax = 0;
        for (int r = firstRow; r < firstRow + height; r++) {
            amax = Fp8Loops.maximum(wide(r) + block * EXTENT * 4L, count, amax);
        }
        return amax;
    }

    /** With the scales of blocks. */
    private void encodeBlocks(Way way) {
        long tile = operands.transposed() ? scratch.take(ELEMENTS) : 0;
        for (int r = 0; r < rows; r++) {
            encodeRow(r, way, tile == 0 ? result.codeAddress(row + r, column) : tile + r * (long) columns);
        }
        transpose(tile);
    }

    private void encodeRow(int r, Way way, long codes) {
        long x = way == Way.SHORTS ? address(r) : wide(r);
        encode(x, way, codes);
    }

    /** {@code x}: BF16 for {@link Way#SHORTS}, else FP32. */
    private void encode(long x, Way way, long codes) {
        int whole = way == Way.ANY ? 0 : columns / EXTENT;
        long others = switch (way) {
            case SHORTS -> Fp8Shorts.encode(x, whole, offsets, result.format(), codes);
            case LIMITED -> E4m3Loops.encode(x, whole, scales, codes);
            case ANY -> 0;
        };
        for (; others != 0; others &= others - 1) {
            encodeBlock(Long.numberOfTrailingZeros(others), way, x, codes);
        }
        for (int block = whole; block < blocks(); block++) {
            encodeBlock(block, way, x, codes);
        }
    }

    /** Of any values. */
    private void encodeBlock(int block, Way way, long x, long codes) {
        long first = block * (long) EXTENT;
        int count = (int) Math.min(EXTENT, columns - first);
        if (way == Way.SHORTS) {
            Fp8Shorts.encodeAll(x + first * 2, count, offsets + first * 2, result.format(), codes + first);
        } else {
            Fp8Loops.encode(x + first * 4, count, Memory.getFloat(scales + block * 4L), result.format(), codes + first);
        }
    }

    /** Blocks of x's columns. */
    private void quantizeColumns() {
        Way way = isShort() && measureShortColumns() ? Way.SHORTS : measureColumns();
        long tile = scratch.take(ELEMENTS);
        if (way == Way.SHORTS) {
            for (int r = 0; r < rows; r++) {
                encode(address(r), way, tile + r * (long) columns);
            }
        } else {
            long ofColumns = maxima;
            Memory.copy(scales, ofColumns, columns * 4L);
            ElementwiseLoops.fill(scales, blocks(), 1);
            for (int r = 0; r < rows; r++) {
                ElementwiseLoops.product(wide(r), ofColumns, columns, wideRow);
                encode(wideRow, way, tile + r * (long) columns);
            }
        }
        transpose(tile);
    }

    private Way measureColumns() {
        Memory.zero(maxima, columns * 4L);
        for (int r = 0; r < rows; r++) {
            Fp8Loops.maxima(wide(r), columns, maxima);
        }
        boolean limited = result.format() == Fp8.E4M3;
        for (int c = 0; c < columns; c++) {
            float amax = Memory.getFloat(maxima + c * 4L);
            limited = limited && amax < Float.POSITIVE_INFINITY;
            setScaleOfColumn(c, operands.scale(amax));
        }
        return limited ? Way.LIMITED : Way.ANY;
    }

    /** False where it cannot be done in 16-bit integers. */
    private boolean measureShortColumns() {
        Memory.zero(maxima, columns * 2L);
        for (int r = 0; r < rows; r++) {
            Fp8Shorts.maxima(address(r), columns, maxima);
        }
        for (int c = 0; c < columns; c++) {
            int maximum = Memory.getShort(maxima + c * 2L);
            float scale = operands.scale(Bf16.toFloat((short) maximum));
            if (!Fp8Shorts.canEncode(maximum, scale, result.format())) {
                return false;
            }
            setScaleOfColumn(c, scale);
            Memory.setShort(offsets + c * 2L, Fp8Shorts.offset(scale, result.format()));
        }
        return true;
    }

    private void setScaleOfColumn(int c, float scale) {
        Memory.setFloat(scales + c * 4L, scale);
        Memory.setFloat(result.scaleAddress(column + c, row), 1 / scale);
    }

    /** {@code tile}: codes of the rows; 0 where they are where they belong. */
    private void transpose(long tile) {
        if (tile == 0) {
            return;
        }
        long fours = scratch.take(QuantizedTransposition.FOURS_BYTES);
        for (int c = 0; c < columns; c += EXTENT) {
            QuantizedTransposition.tile(
                    tile + c,
                    columns,
                    rows,
                    Math.min(EXTENT, columns - c),
                    result.codeAddress(column + c, row),
                    result.columns(),
                    fours);
        }
    }
}
