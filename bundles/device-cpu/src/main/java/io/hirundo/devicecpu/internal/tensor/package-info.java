/** Tensors in native memory, the checks of kernels' operands, conversions of BF16 and FP8 elements, and host transfers. */
package io.hirundo.devicecpu.internal.tensor;
