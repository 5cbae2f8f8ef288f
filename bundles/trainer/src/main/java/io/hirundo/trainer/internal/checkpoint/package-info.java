/**
 * Saves and restores the training state of a run: data cursor, tensors, copies in a store, and the agreement of all ranks on a checkpoint.
 */
package io.hirundo.trainer.internal.checkpoint;
