package io.hirundo.gpusuite.internal.layouts;

import io.hirundo.gpusuite.internal.model.SyntheticRun;
import io.hirundo.strategy.Choice;
import java.util.HashMap;
import java.util.Map;

/**
 * A training run of a small decoder that every layout divides: grouped heads of 64 channels, which tensor-core attention supports; tied
 * embedding and head, whose gradients the first and the last stage add up; four sequences per step, each a microbatch.
 */
final class SplitModel {
    /** Later steps use weights that the ranks have updated and gathered. */
    static final int STEPS = 3;

    private static final int SEQUENCES = 4;
    private static final int SEQUENCE_TOKENS = 48;
    private static final Map<String, Object> OPTIONS = Map.of(
            "vocabSize", 320,
            "hiddenSize", 256,
            "intermediateSize", 512,
            "numHiddenLayers", 2,
            "numAttentionHeads", 8,
            "numKeyValueHeads", 4,
            "headDim", 64,
            "maxPositionEmbeddings", SEQUENCE_TOKENS,
            "tieWordEmbeddings", true);

    private SplitModel() {}

    static SyntheticRun run(String architecture) {
        return new SyntheticRun(new Choice(architecture, OPTIONS), SEQUENCES, SEQUENCE_TOKENS);
    }

    static Map<String, Object> configuration(
            String architecture, Choice device, Layout layout, Precision precision, int timeoutSeconds) {
        var configuration = new HashMap<>(run(architecture).configuration(device, precision.name(), STEPS));
        configuration.put("precision", precision.choice());
        configuration.put("mesh", layout.mesh(timeoutSeconds));
        return configuration;
    }
}
