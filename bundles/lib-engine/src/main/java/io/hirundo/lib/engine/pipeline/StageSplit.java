package io.hirundo.lib.engine.pipeline;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.input.Excerpt;
import java.util.ArrayList;
import java.util.List;

/** A model's blocks in consecutive pipeline stages, as the configuration gives them. {@link StageBalance} finds them by cost. */
public final class StageSplit {
    /**
     * The blocks of one stage.
     *
     * @param first index of the first block in the model
     * @param count number of blocks, at least 1
     */
    public record Blocks(int first, int count) {
        public int end() {
            return first + count;
        }
    }

    private StageSplit() {}

    /**
     * The split that the configuration requests.
     *
     * @param layers transformer layers of each stage; the embedding is in the first stage, the head in the last one
     */
    public static List<Blocks> given(List<Integer> layers, int blocks, int stages) {
        long sum = layers.stream().mapToLong(Integer::longValue).sum();
        if (layers.size() != stages || sum != blocks - 2 || layers.stream().anyMatch(count -> count < 0)) {
            throw new ConfigurationException("mesh.stageLayers: " + Excerpt.of(layers) + " must be " + stages
                    + " numbers, one a stage, that add up to the model's " + (blocks - 2) + " layers");
        }
        var split = new ArrayList<Blocks>();
        int first = 0;
        for (int stage = 0; stage < stages; stage++) {
            int count = layers.get(stage) + (stage == 0 ? 1 : 0) + (stage == stages - 1 ? 1 : 0);
            if (count == 0) {
                throw new ConfigurationException("mesh.stageLayers: stage " + stage
                        + " has no layer; allowed: 0 for the first and the last stage only");
            }
            split.add(new Blocks(first, count));
            first += count;
        }
        return split;
    }
}
