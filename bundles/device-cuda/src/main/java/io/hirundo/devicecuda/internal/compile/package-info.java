/** Kernels as machine code: compiled beforehand by nvcc, or by NVRTC at first use and cached. */
package io.hirundo.devicecuda.internal.compile;
