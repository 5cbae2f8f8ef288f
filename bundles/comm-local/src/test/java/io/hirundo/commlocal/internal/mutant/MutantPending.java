package io.hirundo.commlocal.internal.mutant;

import io.hirundo.device.Event;
import io.hirundo.mesh.Pending;

/** What another collective is, but for how it is waited for. */
abstract class MutantPending implements Pending {
    final Pending real;

    MutantPending(Pending real) {
        this.real = real;
    }

    @Override
    public Event event() {
        return real.event();
    }
}
