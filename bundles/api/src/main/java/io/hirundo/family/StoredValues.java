package io.hirundo.family;

/** Values of stored tensors, for a reference. */
@FunctionalInterface
public interface StoredValues {
    /**
     * Rows of a tensor, or elements of a vector.
     *
     * @param name as in {@link StoredTensor#name}
     * @param first the first row
     * @param count rows to read
     * @return {@code count} rows, row-major
     * @throws io.hirundo.DataException if there is no such tensor
     */
    double[] rows(String name, long first, int count);
}
