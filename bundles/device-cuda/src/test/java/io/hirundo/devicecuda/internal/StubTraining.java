package io.hirundo.devicecuda.internal;

import io.hirundo.event.TrainingEvent;
import io.hirundo.testkit.CtrlC;
import io.hirundo.trainer.internal.config.ConfigurationBinder;
import io.hirundo.trainer.internal.loop.TrainingLoop;
import io.hirundo.trainer.internal.record.EventHub;
import io.hirundo.trainer.internal.record.RunDirectory;
import io.hirundo.trainer.internal.steer.RunSteering;
import io.hirundo.trainer.internal.strategy.RunStrategies;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A training of a tiny Llama on the emulated GPU, by the trainer itself: BF16, two microbatches a step. */
record StubTraining(StubCuda stub, Path folder, boolean graphs, Map<String, Object> mesh) {
  StubTraining(StubCuda stub, Path folder) {
    this(stub, folder, false, Map.of());
  }

  /** Runs to the end, and tells of everything. */
  void run(int layers, int steps, Map<String, Object> evaluation, Consumer<TrainingEvent> listener) {
    var table = StubStrategies.of(stub);
    var configuration = new ConfigurationBinder(table).bind(document(layers, steps, evaluation));
    try (var chosen = new RunStrategies(table, configuration);
        var directory = RunDirectory.open(configuration.run(), false);
        var steering = new RunSteering("stub", directory.path(), steps)) {
      var hub = new EventHub(List::of, () -> List.of(listener::accept));
      new TrainingLoop(chosen, directory, hub, steering, new CtrlC()).run(false);
    }
  }

  private Map<String, Object> document(int layers, int steps, Map<String, Object> evaluation) {
    var sizes =
        Map.<String, Object>of(
            "vocabSize", 32, "hiddenSize", 16, "intermediateSize", 24, "numHiddenLayers", layers, "numAttentionHeads", 2,
            "numKeyValueHeads", 1, "maxPositionEmbeddings", 8);
    var model = new HashMap<String, Object>(Map.of("architecture", chosen("llama", sizes), "export", false));
    model.put("format", null);
    CudaOptions options = stub.options();
    var device =
        Map.<String, Object>of(
            "toolkit", options.toolkit(), "kernelCache", options.kernelCache(), "gemm", CudaOptions.OWN, "graphs", graphs);
    String name = "stub-" + layers + "-" + steps + (graphs ? "-graphs" : "");
    var document = new HashMap<String, Object>();
    document.put("mesh", mesh);
    document.putAll(Map.of(
        "run", Map.of("name", name, "directory", folder.toString()),
        "device", chosen("cuda", device),
        "precision", "bf16",
        "model", model,
        "training", Map.of("steps", steps, "sequenceTokens", 8, "globalBatch", 2),
        "learningRate", chosen("constant", Map.of("peak", 1e-3)),
        "data", Map.of("source", chosen("synthetic", Map.of("vocabulary", 32))),
        "evaluation", evaluation,
        "checkpoint", Collections.singletonMap("strategy", null),
        "monitors", List.of()));
    return document;
  }

  private static Map<String, Object> chosen(String name, Map<String, Object> options) {
    return Map.of("name", name, "options", options);
  }
}
