/**
 * Optimizer state in another form than the optimizer keeps: which tensors of a checkpoint it converts, and the conversion of tensors on a device through
 * host memory.
 */
package io.hirundo.trainer.internal.conversion;
