package io.hirundo.cli.internal.quickstart;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** How quickstart splits its training, handed on to {@code train}. */
final class QuickstartMesh {
  private static final String MICRO_BATCH = "training.microBatch=";

  @Option(names = "--tp", paramLabel = "N", description = "Ranks that share each matrix, as in hirundo train.")
  private Integer tensor;

  @Option(names = "--cp", paramLabel = "N", description = "Ranks that share each sequence, as in hirundo train.")
  private Integer context;

  @Option(names = "--pp", paramLabel = "N", description = "Ranks that share the layers, as in hirundo train.")
  private Integer pipeline;

  @Option(names = "--dp", paramLabel = "N", description = "Ranks that share the batch, as in hirundo train.")
  private Integer data;

  @Option(names = "--schedule", paramLabel = "NAME", description = "Order of work in the pipeline, as in hirundo train.")
  private String schedule;

  /** Whether nothing is given that may lay the model out over several ranks: samples need it on one. */
  boolean isOneRank(List<String> assignments) {
    return Stream.of(tensor, context, pipeline, data).allMatch(size -> size == null || size == 1)
        && assignments.stream().noneMatch(assignment -> assignment.startsWith("mesh."));
  }

  /** Adds what was given; batches are cut finer where ranks share them, unless the user says how. */
  void addTo(List<String> command, List<String> assignments) {
    Map<String, Object> given = new LinkedHashMap<>();
    given.put("--tp", tensor);
    given.put("--cp", context);
    given.put("--pp", pipeline);
    given.put("--dp", data);
    given.put("--schedule", schedule);
    given.forEach(
        (option, value) -> {
          if (value != null) {
            command.add(option);
            command.add(value.toString());
          }
        });
    boolean shared = pipeline != null && pipeline > 1 || data != null && data > 1;
    if (shared && assignments.stream().noneMatch(assignment -> assignment.startsWith(MICRO_BATCH))) {
      command.add("--set");
      command.add(MICRO_BATCH + "1");
    }
  }
}
