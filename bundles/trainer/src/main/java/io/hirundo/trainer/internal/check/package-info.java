/**
 * Checks the GEMMs of a precision strategy while they run: {@link CheckedMath} wraps the strategy's math in a layer and compares each
 * result with sums in double precision (lib-oracle).
 */
package io.hirundo.trainer.internal.check;
