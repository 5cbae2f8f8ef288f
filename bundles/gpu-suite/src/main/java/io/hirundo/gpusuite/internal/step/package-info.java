/** Complete training steps of a large model, in each precision and compared with PyTorch's. */
package io.hirundo.gpusuite.internal.step;
