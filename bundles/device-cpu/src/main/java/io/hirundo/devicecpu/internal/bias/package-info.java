/** Biases of rows, and the column sums that are their gradients: a scalar reference and a Vector API version. */
package io.hirundo.devicecpu.internal.bias;
