package io.hirundo.kernel;

import io.hirundo.tensor.Tensor;

/**
 * Elements of an FP32 matrix that follow each other, row by row; where they begin and end knows nothing of rows.
 *
 * @param values the elements
 * @param firstElement where they begin in the matrix
 * @param rows of the matrix
 * @param columns of the matrix
 */
public record MatrixRun(Tensor values, long firstElement, long rows, long columns) {}
