/**
 * Reads the bytes of saved shards, verifies the checksum of each chunk, and fills tensors that may be sharded in another
 * way than those saved.
 */
package io.hirundo.checkpointdcp.internal.load;
