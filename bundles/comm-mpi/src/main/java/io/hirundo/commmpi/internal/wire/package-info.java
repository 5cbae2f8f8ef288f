/** Bytes between processes: Open MPI through its C interface, and how a thread waits for a message. */
package io.hirundo.commmpi.internal.wire;
