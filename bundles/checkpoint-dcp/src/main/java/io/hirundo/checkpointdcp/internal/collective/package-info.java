/** What ranks exchange on their own threads while they save and load: numbers, bytes for a peer, and a barrier. */
package io.hirundo.checkpointdcp.internal.collective;
