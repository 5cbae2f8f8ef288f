package io.hirundo.itests;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A training for tests of what surrounds the steps: signals, disks. Most of a short training's CPU time is compilation of the vector
 * kernels, so this one has a model of one small layer, reference kernels, and a JVM without its optimizing compiler: about a fifth of the
 * CPU seconds of {@code examples/synthetic.yaml} as it is.
 */
public final class TinyTraining {
  /** Of the process. */
  public static final Map<String, String> ENVIRONMENT = Map.of("HIRUNDO_JAVA_OPTS", "-XX:TieredStopAtLevel=1");

  private static final List<String> ASSIGNMENTS =
      List.of(
          "device.options.kernels=reference", "device.options.workers=1", "training.sequenceTokens=4", "training.microBatch=1",
          "training.globalBatch=2", "evaluation.samples=2", "model.architecture.options.numHiddenLayers=1",
          "model.architecture.options.hiddenSize=16", "model.architecture.options.intermediateSize=16",
          "model.architecture.options.numAttentionHeads=1", "model.architecture.options.numKeyValueHeads=1");

  private TinyTraining() {}

  /**
   * The arguments of the program.
   *
   * @param vocabulary at least 256; nearly all parameters are its rows, 32 for each token, of 12 bytes each in a checkpoint
   * @param more assignments
   */
  public static List<String> arguments(int vocabulary, List<String> more) {
    var arguments = new ArrayList<>(List.of("train", Profiles.distro().resolve("../../../examples/synthetic.yaml").normalize().toString()));
    var assignments = new ArrayList<>(ASSIGNMENTS);
    assignments.add("model.architecture.options.vocabSize=" + vocabulary);
    assignments.addAll(more);
    assignments.forEach(assignment -> arguments.addAll(List.of("--set", assignment)));
    return arguments;
  }
}
