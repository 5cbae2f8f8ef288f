package io.hirundo.lib.engine.pipeline;

import io.hirundo.model.layer.StepContext;

/** The microbatches of one step on one rank. */
public interface Microbatches {
    /** Copies a microbatch to the device. Called once per microbatch. */
    StepContext open(int microbatch);

    /** Frees the device memory of a microbatch. */
    void close(int microbatch);
}
