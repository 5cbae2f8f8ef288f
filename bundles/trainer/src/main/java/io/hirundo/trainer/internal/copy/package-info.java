/** Copies of a run's checkpoints in a store: how they are made in the background, and fetched when a run is resumed. */
package io.hirundo.trainer.internal.copy;
