package io.hirundo.lib.engine.layout;

import java.util.List;

/**
 * What a run wants of its pipeline stages. Only of settings that stay while a run continues, so that a rank keeps its blocks.
 *
 * @param layers transformer layers of each stage, {@code mesh.stageLayers}; empty for a balance
 * @param margin {@code mesh.stageMargin}
 * @param sequences of a microbatch
 * @param contextRanks among which a sequence is split
 * @param microbatches of a step, on each pipeline
 */
public record StageRequest(
        List<Integer> layers, double margin, int sequences, int sequenceTokens, int contextRanks, long microbatches) {
    /** Of a rank that has all blocks. */
    public static final StageRequest ONE_STAGE = new StageRequest(List.of(), 0, 1, 1, 1, 1);

    public StageRequest {
        layers = List.copyOf(layers);
    }
}
