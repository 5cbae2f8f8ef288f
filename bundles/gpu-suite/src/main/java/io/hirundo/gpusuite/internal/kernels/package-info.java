/** Compares every kernel family with the reference, case by case. */
package io.hirundo.gpusuite.internal.kernels;
