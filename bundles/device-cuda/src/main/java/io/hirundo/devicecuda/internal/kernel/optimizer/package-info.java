/** Optimizer updates of many tensors by one launch, 8-bit moments, and rounding without bias. */
package io.hirundo.devicecuda.internal.kernel.optimizer;
