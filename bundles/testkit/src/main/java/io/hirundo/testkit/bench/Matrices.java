package io.hirundo.testkit.bench;

import java.util.Arrays;
import java.util.function.IntBinaryOperator;

/** Row-major host matrices: expected products and their errors. Errors of single elements, and of tensors of any shape. */
public final class Matrices {
    /** Least size of a tensor's elements: where all of them cancel out, rounding errors of the terms are left. */
    private static final double LEAST_SIZE = 0.01;

    private Matrices() {}

    /** {@code c = start + a b}, with operands read by (row, column). */
    public static double[] product(
            double[] start,
            double[] a,
            IntBinaryOperator aAt,
            double[] b,
            IntBinaryOperator bAt,
            int rows,
            int inner,
            int columns) {
        double[] aRows = gathered(a, rows, inner, aAt);
        double[] bColumns = gathered(b, columns, inner, (column, k) -> bAt.applyAsInt(k, column));
        var c = new double[rows * columns];
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                double sum = start == null ? 0 : start[row * columns + column];
                for (int k = 0; k < inner; k++) {
                    sum += aRows[row * inner + k] * bColumns[column * inner + k];
                }
                c[row * columns + column] = sum;
            }
        }
        return c;
    }

    /** In the order in which they are summed, so that the index is computed once for each element and not for each product. */
    private static double[] gathered(double[] stored, int rows, int inner, IntBinaryOperator at) {
        var values = new double[rows * inner];
        for (int row = 0; row < rows; row++) {
            for (int k = 0; k < inner; k++) {
                values[row * inner + k] = stored[at.applyAsInt(row, k)];
            }
        }
        return values;
    }

    /** Index of an element of a stored matrix with so many columns. */
    public static IntBinaryOperator rowMajor(int columns) {
        return (row, column) -> row * columns + column;
    }

    /** The same for a stored matrix with so many columns that is read transposed. */
    public static IntBinaryOperator transposed(int columns) {
        return (row, column) -> column * columns + row;
    }

    /**
     * Checks the norm of the error of the matrix, and of every row and column, so that one wrong row is visible in a large matrix.
     *
     * @param tolerance relative; three times as much for a row or a column
     */
    public static void requireClose(String what, double[] expected, double[] actual, int columns, double tolerance) {
        int rows = expected.length / columns;
        double typical = Math.sqrt(squares(expected, 0, 1, expected.length) / expected.length);
        double whole = Math.sqrt(squaredError(expected, actual, 0, 1, expected.length));
        require(what, whole, tolerance * typical * Math.sqrt(expected.length));
        for (int row = 0; row < rows; row++) {
            double norm =
                    Math.max(Math.sqrt(squares(expected, row * columns, 1, columns)), typical * Math.sqrt(columns));
            double error = Math.sqrt(squaredError(expected, actual, row * columns, 1, columns));
            require("row " + row + " of " + what, error, 3 * tolerance * norm);
        }
        for (int column = 0; column < columns; column++) {
            double norm = Math.max(Math.sqrt(squares(expected, column, columns, rows)), typical * Math.sqrt(rows));
            double error = Math.sqrt(squaredError(expected, actual, column, columns, rows));
            require("column " + column + " of " + what, error, 3 * tolerance * norm);
        }
    }

    /**
     * Checks every element. Infinities and NaNs must be equal.
     *
     * @param tolerance of an element, times its size plus the root mean square of its tensor's finite elements
     */
    public static void requireEachClose(String what, double[] expected, double[] actual, double tolerance) {
        if (expected.length != actual.length) {
            throw new AssertionError(what + ": " + actual.length + " elements, expected " + expected.length);
        }
        if (Arrays.equals(expected, actual)) {
            return;
        }
        double size = Math.max(LEAST_SIZE, Math.sqrt(finiteSquares(expected) / Math.max(1, expected.length)));
        for (int i = 0; i < expected.length; i++) {
            boolean close = Double.isFinite(expected[i])
                    ? Math.abs(expected[i] - actual[i]) <= tolerance * (Math.abs(expected[i]) + size)
                    : Double.compare(expected[i], actual[i]) == 0;
            if (!close) {
                throw new AssertionError(what + " at " + i + ": expected " + expected[i] + ", is " + actual[i]);
            }
        }
    }

    /** The norm of the error over the norm of what is expected, of elements that are expected to be finite. */
    public static double relativeError(double[] expected, double[] actual) {
        double errors = 0;
        for (int i = 0; i < expected.length; i++) {
            double error = Double.isFinite(expected[i]) ? expected[i] - actual[i] : 0;
            errors += error * error;
        }
        return Math.sqrt(errors / Math.max(Double.MIN_NORMAL, finiteSquares(expected)));
    }

    private static double finiteSquares(double[] x) {
        double sum = 0;
        for (double each : x) {
            sum += Double.isFinite(each) ? each * each : 0;
        }
        return sum;
    }

    private static void require(String what, double error, double allowed) {
        if (!(error <= allowed)) {
            throw new AssertionError(
                    String.format("%s: the norm of its error is %.3g, allowed is %.3g", what, error, allowed));
        }
    }

    private static double squares(double[] x, int first, int stride, int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += x[first + i * stride] * x[first + i * stride];
        }
        return sum;
    }

    private static double squaredError(double[] x, double[] y, int first, int stride, int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            double error = x[first + i * stride] - y[first + i * stride];
            sum += error * error;
        }
        return sum;
    }
}
