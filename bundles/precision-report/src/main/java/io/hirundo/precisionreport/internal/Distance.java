package io.hirundo.precisionreport.internal;

import java.util.Arrays;

/**
 * Relative error of a matrix: norm of the difference divided by the norm of the exact one.
 *
 * @param norm over the full matrix
 * @param typical median over its rows or columns, which a few large ones do not dominate
 */
record Distance(double norm, double typical) {
    /** {@code columns}: of both matrices. */
    static Distance ofRows(float[] exact, float[] found, int columns) {
        return of(exact, found, columns, false);
    }

    static Distance ofColumns(float[] exact, float[] found, int columns) {
        return of(exact, found, columns, true);
    }

    private static Distance of(float[] exact, float[] found, int columns, boolean ofColumns) {
        var differences = new double[ofColumns ? columns : exact.length / columns];
        var squares = new double[differences.length];
        for (int index = 0; index < exact.length; index++) {
            int at = ofColumns ? index % columns : index / columns;
            double difference = (double) found[index] - exact[index];
            differences[at] += difference * difference;
            squares[at] += (double) exact[index] * exact[index];
        }
        double[] each = new double[differences.length];
        int counted = 0;
        for (int at = 0; at < each.length; at++) {
            if (squares[at] > 0) {
                each[counted++] = Math.sqrt(differences[at] / squares[at]);
            }
        }
        Arrays.sort(each, 0, counted);
        double total = Arrays.stream(squares).sum();
        return new Distance(
                total == 0 ? 0 : Math.sqrt(Arrays.stream(differences).sum() / total),
                counted == 0 ? 0 : each[counted / 2]);
    }
}
