/**
 * GEMMs of FP32, BF16 and FP8 operands: {@code Blocking} splits them into tiles, which tasks pack and multiply with {@code loops}. A scalar
 * reference defines the result.
 */
package io.hirundo.devicecpu.internal.gemm;
