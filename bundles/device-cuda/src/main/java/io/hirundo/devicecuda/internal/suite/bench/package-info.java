/** How fast kernels are, beside the device's own copies and beside PyTorch. */
package io.hirundo.devicecuda.internal.suite.bench;
