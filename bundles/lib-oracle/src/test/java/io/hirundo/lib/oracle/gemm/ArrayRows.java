package io.hirundo.lib.oracle.gemm;

import java.util.Random;

/** A matrix in an array. */
public record ArrayRows(double[][] values) implements MatrixRows {
    /** Of normally distributed elements, each rounded to {@code type}. */
    public static ArrayRows random(long seed, int rows, int columns, double mean, RoundedTo type) {
        var random = new Random(seed);
        double[][] values = new double[rows][columns];
        for (double[] row : values) {
            for (int column = 0; column < columns; column++) {
                row[column] = type.round(mean + random.nextGaussian());
            }
        }
        return new ArrayRows(values);
    }

    /** {@code before + left rightᵀ}, summed in binary32 one after the other, and rounded to {@code type}. */
    public static ArrayRows product(ArrayRows left, ArrayRows right, ArrayRows before, RoundedTo type) {
        double[][] values = new double[left.values.length][right.values.length];
        for (int i = 0; i < values.length; i++) {
            for (int j = 0; j < values[i].length; j++) {
                float sum = before == null ? 0 : (float) before.values[i][j];
                for (int k = 0; k < left.columns(); k++) {
                    sum += (float) left.values[i][k] * (float) right.values[j][k];
                }
                values[i][j] = type.round(sum);
            }
        }
        return new ArrayRows(values);
    }

    ArrayRows copy() {
        double[][] copied = new double[values.length][];
        for (int row = 0; row < copied.length; row++) {
            copied[row] = values[row].clone();
        }
        return new ArrayRows(copied);
    }

    ArrayRows transposed() {
        double[][] turned = new double[columns()][values.length];
        for (int row = 0; row < values.length; row++) {
            for (int column = 0; column < columns(); column++) {
                turned[column][row] = values[row][column];
            }
        }
        return new ArrayRows(turned);
    }

    @Override
    public long rows() {
        return values.length;
    }

    @Override
    public int columns() {
        return values[0].length;
    }

    @Override
    public void read(long row, int first, int count, double[] into) {
        System.arraycopy(values[(int) row], first, into, 0, count);
    }
}
