package io.hirundo.kernel.scaled;

import io.hirundo.tensor.Shape;

/**
 * Which elements of an 8-bit matrix share a scale. Blocks are aligned to the first element; the last block of a row or column may
 * be smaller. Scales use the layout that Hopper's FP8 GEMMs read.
 */
public enum ScaleBlock {
    /** 1 x 128: scales [blocks per row, rows rounded up to 4]. For activations and gradients. */
    ROW,
    /** 128 x 128: scales [blocks per column, blocks per row rounded up to 4]. For weights. */
    SQUARE,
    /** Per-tensor scaling: one scale, as {@link MatrixScaledKernels} make it. */
    MATRIX;

    /** Block extent in elements. */
    public static final int EXTENT = 128;

    private static final int PADDING = 4;

    /** Shape of the scales of a matrix. Padding has undefined values. */
    public Shape scales(long rows, long columns) {
        return switch (this) {
            case ROW -> Shape.of(blocks(columns), padded(rows));
            case SQUARE -> Shape.of(blocks(rows), padded(blocks(columns)));
            case MATRIX -> Shape.of(1);
        };
    }

    /** Index of an element's scale among the scales of a matrix of this shape. */
    public long scaleIndex(long rows, long columns, long row, long column) {
        return switch (this) {
            case ROW -> column / EXTENT * padded(rows) + row;
            case SQUARE -> row / EXTENT * padded(blocks(columns)) + column / EXTENT;
            case MATRIX -> 0;
        };
    }

    private static long blocks(long extent) {
        return (extent + EXTENT - 1) / EXTENT;
    }

    private static long padded(long extent) {
        return (extent + PADDING - 1) / PADDING * PADDING;
    }
}
