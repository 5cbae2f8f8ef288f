/**
 * The commands {@code checkpoint list}, {@code show}, {@code verify} and {@code prune}, for the checkpoints of a run
 * that need not be running.
 */
package io.hirundo.checkpointdcp.internal.command;
