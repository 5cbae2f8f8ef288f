/**
 * Checkpoints in the memory of nodes: each rank's data on its own node and on that of its peer, how ranks restore from
 * what is left, and how a copy is deleted from outside a run.
 */
package io.hirundo.checkpointdcp.internal.memory;
