package io.hirundo.kernel.scaled;

import io.hirundo.tensor.Tensor;

/**
 * Consecutive elements of a row-major FP32 matrix. A run may begin and end inside a row.
 *
 * @param values the elements
 * @param firstElement offset of the first element in the matrix
 * @param rows of the matrix
 * @param columns of the matrix
 */
public record MatrixRun(Tensor values, long firstElement, long rows, long columns) {}
