/** Complete training steps of a large Llama, in each precision and compared with PyTorch's. */
package io.hirundo.gpusuite.internal.step;
