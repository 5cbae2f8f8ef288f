/**
 * Checks of a precision strategy's products while they are made: {@link CheckedMath} takes the strategy's place in a layer, calls it
 * as the layer does, and compares each result with sums in double precision (lib-oracle).
 */
package io.hirundo.trainer.internal.check;
