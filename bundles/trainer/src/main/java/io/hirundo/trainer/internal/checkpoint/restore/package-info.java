/** Restores a run: compares its tensors with those of each checkpoint, and loads them from the newest good one that all ranks agree on. */
package io.hirundo.trainer.internal.checkpoint.restore;
