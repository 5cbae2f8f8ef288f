package io.hirundo.devicecuda.internal.suite.model;

import io.hirundo.strategy.Choice;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A Llama with grouped heads on made-up samples that it can learn, as the trainer is told of it.
 *
 * @param hidden channels, of which a head has 64
 * @param intermediate inner channels of the MLP
 * @param sequences of a step, one microbatch each
 */
public record SmallLlama(int vocabulary, int hidden, int intermediate, int layers, int sequences, int sequenceTokens) {
  private static final int HEAD_CHANNELS = 64;

  /**
   * Parts of blocks at the ends of rows and columns, which are yet multiples of 16, as cuBLASLt wants them; a scalar reference does a
   * step of it in seconds.
   */
  public static final SmallLlama COMPARED = new SmallLlama(320, 256, 384, 2, 2, 48);

  /** Large enough that a GPU has work to do. */
  public static final SmallLlama TRAINED = new SmallLlama(1024, 512, 1408, 4, 8, 256);

  /** A run that writes nothing. */
  Map<String, Object> configuration(Choice device, String precision, int steps) {
    int heads = hidden / HEAD_CHANNELS;
    var architecture = new HashMap<String, Object>();
    architecture.put("vocabSize", vocabulary);
    architecture.put("hiddenSize", hidden);
    architecture.put("intermediateSize", intermediate);
    architecture.put("numHiddenLayers", layers);
    architecture.put("numAttentionHeads", heads);
    architecture.put("numKeyValueHeads", heads / 2);
    architecture.put("maxPositionEmbeddings", sequenceTokens);
    var model = new HashMap<String, Object>(Map.of("architecture", chosen("llama", architecture)));
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
        "data", Map.of("source", chosen("synthetic", Map.of("vocabulary", vocabulary))),
        "checkpoint", checkpoint,
        "monitors", List.of());
  }

  private static Map<String, Object> chosen(String name, Map<String, Object> options) {
    return Map.of("name", name, "options", options);
  }
}
