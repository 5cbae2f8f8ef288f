/** Fills, conversions, sums and scaling of tensors: a scalar reference and a Vector API version. */
package io.hirundo.devicecpu.internal.elementwise;
