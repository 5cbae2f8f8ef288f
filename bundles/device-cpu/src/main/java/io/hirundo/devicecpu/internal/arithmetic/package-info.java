/** Elementwise arithmetic of optimizers: a scalar reference and a Vector API version. */
package io.hirundo.devicecpu.internal.arithmetic;
