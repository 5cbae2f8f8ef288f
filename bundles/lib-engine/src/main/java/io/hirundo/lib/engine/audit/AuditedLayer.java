package io.hirundo.lib.engine.audit;

import io.hirundo.lib.engine.check.GemmObserver;

/** A linear layer whose GEMMs can be observed. To be used on the rank's thread only. */
public interface AuditedLayer {
    /** Name of the layer's weight. */
    String name();

    /** Sets the observer of all GEMMs; null removes it. */
    void observeGemms(GemmObserver observer);
}
