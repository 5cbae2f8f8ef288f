/** Copies of a run's checkpoints in a store: uploads in the background, and downloads when a run is resumed. */
package io.hirundo.trainer.internal.copy;
