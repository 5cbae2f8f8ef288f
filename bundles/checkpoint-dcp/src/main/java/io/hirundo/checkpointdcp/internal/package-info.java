/** Private to the bundle checkpoint-dcp. */
package io.hirundo.checkpointdcp.internal;
