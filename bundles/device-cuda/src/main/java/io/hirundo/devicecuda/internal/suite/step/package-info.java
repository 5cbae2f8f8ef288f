/** A whole training step of a large Llama, in each precision and beside PyTorch's. */
package io.hirundo.devicecuda.internal.suite.step;
