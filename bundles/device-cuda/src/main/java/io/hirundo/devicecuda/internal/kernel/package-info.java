/** The kernel families: each checks its operands and launches kernels of the {@code .cu} file of its name. */
package io.hirundo.devicecuda.internal.kernel;
