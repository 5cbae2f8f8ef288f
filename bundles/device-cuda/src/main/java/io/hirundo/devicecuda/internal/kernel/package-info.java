/** The kernel families. Each checks its operands and launches the kernels of the {@code .cu} file of its name. */
package io.hirundo.devicecuda.internal.kernel;
