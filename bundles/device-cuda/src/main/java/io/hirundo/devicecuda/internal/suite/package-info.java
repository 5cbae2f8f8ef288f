/** The command {@code gpu-suite}: kernels against the CPU's reference, and how fast the GPU copies. */
package io.hirundo.devicecuda.internal.suite;
