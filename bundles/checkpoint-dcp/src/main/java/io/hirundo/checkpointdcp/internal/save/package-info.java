/**
 * One rank's part in one save: its shard plan, staged windows of its data file, checksums, and the commit by
 * rank 0. The strategies decide on which thread each of these runs.
 */
package io.hirundo.checkpointdcp.internal.save;
