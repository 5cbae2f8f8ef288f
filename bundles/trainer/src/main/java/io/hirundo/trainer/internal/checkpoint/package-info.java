/** Saves the training state of a run: data cursor, tensors and values; copies in a store. The sub-package restores it. */
package io.hirundo.trainer.internal.checkpoint;
