/**
 * A checkpoint's manifest: what it lists of tensors, shards and data files, how its JSON is written and read, and which
 * contents are rejected. Works on values and one folder at a time, and knows nothing of sessions.
 */
package io.hirundo.checkpointdcp.internal.format;
