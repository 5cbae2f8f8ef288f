package io.hirundo.lib.engine.fabric;

import io.hirundo.mesh.Pending;
import java.util.function.Supplier;

/** Looks at a rank's collectives. Belongs to the rank's thread. */
@FunctionalInterface
public interface CollectiveObserver {
    /** Begins a collective, once. */
    Pending begin(CollectiveCall call, Supplier<Pending> begin);
}
