/** The command {@code gpu-suite}: its parts, of which kernels against the reference are here. */
package io.hirundo.devicecuda.internal.suite;
