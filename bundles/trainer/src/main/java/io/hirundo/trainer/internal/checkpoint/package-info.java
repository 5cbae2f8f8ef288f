/**
 * Saves the training state of a session and restores it: cursors, tensors, remote copies, and which checkpoint all ranks
 * resume from.
 */
package io.hirundo.trainer.internal.checkpoint;
