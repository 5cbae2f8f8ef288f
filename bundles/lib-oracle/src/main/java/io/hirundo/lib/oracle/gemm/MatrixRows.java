package io.hirundo.lib.oracle.gemm;

import io.hirundo.tensor.DType;
import java.util.Arrays;

/** A matrix whose elements are read row by row, as doubles. */
public interface MatrixRows {
    long rows();

    int columns();

    /**
     * Reads elements {@code [first, first + count)} of a row; rows in ascending order are the fastest.
     *
     * @param into receives them from its beginning
     */
    void read(long row, int first, int count, double[] into);

    /** Type of the elements, before scales multiply them. */
    default DType type() {
        return DType.FP64;
    }

    /** Reads what elements {@code [first, first + count)} of a row were multiplied by after they were rounded to {@link #type}. */
    default void readScales(long row, int first, int count, double[] into) {
        Arrays.fill(into, 0, count, 1);
    }
}
