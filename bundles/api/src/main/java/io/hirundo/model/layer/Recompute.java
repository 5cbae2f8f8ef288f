package io.hirundo.model.layer;

/** Which activations the backward recomputes instead of saving them. */
public enum Recompute {
    /** Saves all activations. */
    NONE,
    /** Selective recomputation: cheap activations (norm outputs, the output of the gated activation) are recomputed. */
    SELECTIVE,
    /** Full recomputation: saves only a block's input. */
    FULL
}
