/**
 * How state is saved: synchronously, in the background from staging buffers, or alternately in memory and on storage.
 * Passes the state to {@code save}, and reports when a checkpoint is durable.
 */
package io.hirundo.checkpointdcp.internal.strategy;
