package io.hirundo.lib.oracle.gemm;

import io.hirundo.lib.oracle.Tiles;
import io.hirundo.tensor.DType;

/**
 * How far an operand as it was multiplied is from what it was rounded from.
 *
 * @param relative norm of the difference over the norm
 * @param worstTile the same of the tile where it is largest; small elements that share a block with large ones may vanish altogether
 * @param projection its size as a part of what it was rounded from
 */
public record OperandError(double relative, double worstTile, Projection projection) {
    /** Columns that are held at a time where one of both is transposed. */
    private static final int CHUNK = 256;

    /** Of an operand that was not rounded. */
    public static final OperandError NONE = new OperandError(0, 0, Projection.NONE);

    /**
     * Largest relative error of an operand that is rounded to nearest, its scale fitting its largest element: the unit roundoff {@code u}
     * of the type. No element within the normal range changes by more, so the norm does not either; smaller elements are negligible next
     * to the largest one. A stale scale that saturates elements may exceed it.
     */
    public static double largest(DType multiplied) {
        return switch (multiplied) {
            case FP64 -> 0x1p-53;
            case FP32 -> 0x1p-24;
            case BF16 -> 0x1p-8;
            case FP8_E4M3 -> 0x1p-4;
            case FP8_E5M2 -> 0x1p-3;
            case INT32 -> throw new IllegalArgumentException("no operand is of type " + multiplied);
        };
    }

    /** {@code transposed}: whether {@code multiplied} is the transpose of {@code original}. NaNs do not count. */
    public static OperandError of(MatrixRows original, MatrixRows multiplied, boolean transposed) {
        var sums = new Sums(original.rows(), original.columns(), multiplied.type());
        if (transposed) {
            compareTransposed(original, multiplied, sums);
        } else {
            double[] was = new double[original.columns()];
            double[] is = new double[original.columns()];
            double[] scales = new double[original.columns()];
            for (long row = 0; row < original.rows(); row++) {
                original.read(row, 0, was.length, was);
                multiplied.read(row, 0, is.length, is);
                multiplied.readScales(row, 0, scales.length, scales);
                sums.add(row, 0, was, is, scales, was.length);
            }
        }
        return sums.error();
    }

    private static void compareTransposed(MatrixRows original, MatrixRows multiplied, Sums sums) {
        double[][] held = new double[CHUNK][multiplied.columns()];
        double[][] heldScales = new double[CHUNK][multiplied.columns()];
        double[] was = new double[CHUNK];
        double[] is = new double[CHUNK];
        double[] scales = new double[CHUNK];
        for (int first = 0; first < original.columns(); first += CHUNK) {
            int count = Math.min(CHUNK, original.columns() - first);
            for (int i = 0; i < count; i++) {
                multiplied.read(first + i, 0, multiplied.columns(), held[i]);
                multiplied.readScales(first + i, 0, multiplied.columns(), heldScales[i]);
            }
            for (long row = 0; row < original.rows(); row++) {
                original.read(row, first, count, was);
                for (int i = 0; i < count; i++) {
                    is[i] = held[i][(int) row];
                    scales[i] = heldScales[i][(int) row];
                }
                sums.add(row, first, was, is, scales, count);
            }
        }
    }

    private static final class Sums {
        private final int tileColumns;
        private final double[] differences;
        private final double[] squares;
        private final Projection.Sums projection;

        Sums(long rows, int columns, DType type) {
            tileColumns = Tiles.count(columns);
            int tiles = Math.multiplyExact(Tiles.count(rows), tileColumns);
            differences = new double[tiles];
            squares = new double[tiles];
            projection = new Projection.Sums(ValueGrid.of(type));
        }

        /** Elements of a row from {@code first}, which begins a tile. */
        void add(long row, int first, double[] was, double[] is, double[] scales, int count) {
            int tile = Tiles.of(row) * tileColumns + Tiles.of(first);
            for (int from = 0; from < count; tile++, from += Tiles.EXTENT) {
                int to = Math.min(from + Tiles.EXTENT, count);
                double difference = 0;
                double square = 0;
                for (int i = from; i < to; i++) {
                    if (Double.isFinite(was[i])) {
                        difference += (is[i] - was[i]) * (is[i] - was[i]);
                        square += was[i] * was[i];
                        projection.add(was[i], is[i], scales[i]);
                    }
                }
                differences[tile] += difference;
                squares[tile] += square;
            }
        }

        OperandError error() {
            double worst = 0;
            double difference = 0;
            double square = 0;
            for (int tile = 0; tile < squares.length; tile++) {
                difference += differences[tile];
                square += squares[tile];
                worst = Math.max(worst, relative(differences[tile], squares[tile]));
            }
            return new OperandError(relative(difference, square), worst, projection.projection());
        }

        private static double relative(double difference, double square) {
            if (difference == 0) {
                return 0;
            }
            return square > 0 ? Math.sqrt(difference / square) : Double.POSITIVE_INFINITY;
        }
    }
}
