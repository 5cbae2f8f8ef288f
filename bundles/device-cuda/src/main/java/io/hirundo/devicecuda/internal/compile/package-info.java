/** Machine code of kernels: compiled ahead of time by nvcc, or by NVRTC at first use with a cache. */
package io.hirundo.devicecuda.internal.compile;
