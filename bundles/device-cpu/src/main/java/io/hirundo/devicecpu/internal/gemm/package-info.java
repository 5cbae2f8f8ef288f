/**
 * GEMMs of FP32, BF16 and FP8 operands: packed into blocks that fit the caches, multiplied by one microkernel. A scalar
 * reference defines the result.
 */
package io.hirundo.devicecpu.internal.gemm;
