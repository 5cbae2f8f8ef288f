/**
 * Kernels of the scalar device: one loop for each formula, in FP64 arithmetic, for all floating dtypes. They check the sizes of their
 * operands, but not everything that a device's own kernels must reject.
 */
package io.hirundo.testkit.scalar.kernel;
