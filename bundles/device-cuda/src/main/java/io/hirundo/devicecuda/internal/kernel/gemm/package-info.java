/** GEMMs: by cuBLASLt, by own kernels on warpgroups, and of FP8 operands with scales per block or piece. */
package io.hirundo.devicecuda.internal.kernel.gemm;
