/**
 * A run's folder of checkpoints: which are there, how a save becomes one of them by a rename, and which are deleted.
 * Reads what {@code format} describes through the operations of {@code disk}.
 */
package io.hirundo.checkpointdcp.internal.store;
