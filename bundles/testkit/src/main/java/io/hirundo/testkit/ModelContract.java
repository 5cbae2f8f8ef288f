package io.hirundo.testkit;

import io.hirundo.testkit.model.ModelClauses;

/**
 * Contract tests for an {@code Architecture}: gradients of a tiny model against finite differences, both halves of the backward,
 * recomputation, evaluation, and activations that are released. All in FP64 on one rank; {@link LayerContract} splits layers.
 */
public interface ModelContract extends ModelClauses {}
