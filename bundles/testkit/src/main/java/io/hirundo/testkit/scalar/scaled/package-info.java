/** Scalar kernels of 8-bit matrices with scales. */
package io.hirundo.testkit.scalar.scaled;
