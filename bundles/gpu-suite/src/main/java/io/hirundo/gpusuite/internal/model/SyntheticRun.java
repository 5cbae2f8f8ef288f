package io.hirundo.gpusuite.internal.model;

import io.hirundo.strategy.Choice;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The configuration of a training run on synthetic samples that it can learn. The run writes no files.
 *
 * @param architecture a family, with option names that families of decoders share
 * @param sequences sequences per step, one microbatch each
 * @param noise part of the tokens that are random, a bound that keeps the loss from falling to zero
 */
public record SyntheticRun(Choice architecture, int sequences, int sequenceTokens, double noise) {
    /** Without random tokens. */
    public SyntheticRun(Choice architecture, int sequences, int sequenceTokens) {
        this(architecture, sequences, sequenceTokens, 0);
    }

    /** The same run with random tokens in its samples. */
    public SyntheticRun withNoise(double noise) {
        return new SyntheticRun(architecture, sequences, sequenceTokens, noise);
    }

    public Map<String, Object> configuration(Choice device, String precision, int steps) {
        var model = new HashMap<String, Object>(
                Map.of("architecture", chosen(architecture.name(), architecture.options())));
        model.put("format", null);
        model.put("export", false);
        var checkpoint = new HashMap<String, Object>();
        checkpoint.put("strategy", null);
        return Map.of(
                "run", Map.of("name", "gpu-suite"),
                "device", chosen(device.name(), device.options()),
                "precision", precision,
                "model", model,
                "training", Map.of("steps", steps, "sequenceTokens", sequenceTokens, "globalBatch", sequences),
                "learningRate", chosen("constant", Map.of("peak", 1e-3, "warmupSteps", 10)),
                "data",
                        Map.of(
                                "source",
                                chosen(
                                        "synthetic",
                                        Map.of(
                                                "vocabulary",
                                                architecture.options().get("vocabSize"),
                                                "noise",
                                                noise))),
                "checkpoint", checkpoint,
                "monitors", List.of());
    }

    private static Map<String, Object> chosen(String name, Map<String, Object> options) {
        return Map.of("name", name, "options", options);
    }
}
