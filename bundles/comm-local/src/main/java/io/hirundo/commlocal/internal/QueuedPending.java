package io.hirundo.commlocal.internal;

import io.hirundo.device.Event;
import io.hirundo.mesh.Pending;

/** Ends with the caller's own queue, so that no other rank can hold it up. */
record QueuedPending(Event event) implements Pending {}
