package io.hirundo.testkit;

import io.hirundo.testkit.layer.OneRankClauses;
import io.hirundo.testkit.layer.SplitClauses;

/**
 * Contract tests for a kind of layer, a {@code LayerSpec} with its {@code LayerProvider}: weights are those that the spec declares,
 * gradients are those of finite differences, and every split that the dimensions admit computes what one rank computes, with gradients
 * reduced as {@code Sharding} derives. All in FP64.
 */
public interface LayerContract extends OneRankClauses, SplitClauses {}
