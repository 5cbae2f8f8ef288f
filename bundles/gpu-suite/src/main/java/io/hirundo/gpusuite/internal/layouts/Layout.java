package io.hirundo.gpusuite.internal.layouts;

import java.util.Map;

/**
 * How a training is split over ranks, which are threads of this process. Overlap is on, as it is by default.
 *
 * @param extents of the mesh
 * @param schedule of the pipeline
 * @param context strategy of ranks that share sequences
 * @param data strategy of the data-parallel ranks
 * @param sequenceParallel whether norms work on shards of the tokens
 */
public record Layout(Extents extents, String schedule, String context, String data, boolean sequenceParallel) {
  static final Layout ALONE = of(1, 1, 1, 1);

  /** So few that a small model has several buckets, and their messages something to hide behind. */
  private static final int BUCKET_ELEMENTS = 60_000;

  /**
   * How many ranks share what.
   *
   * @param tensor ranks that share matrices
   * @param context ranks that share sequences
   * @param pipeline ranks that share layers
   * @param data data-parallel ranks
   */
  record Extents(int tensor, int context, int pipeline, int data) {}

  /** With what a run has where nothing is said. */
  public static Layout of(int tensor, int context, int pipeline, int data) {
    return new Layout(new Extents(tensor, context, pipeline, data), "1f1b", "ring", "zero1", true);
  }

  Layout by(String otherSchedule) {
    return new Layout(extents, otherSchedule, context, data, sequenceParallel);
  }

  /** Keys and values of a sequence, and weights, come whole when they are needed. */
  Layout gathering() {
    return new Layout(extents, schedule, "all-gather", "fsdp", sequenceParallel);
  }

  Layout withoutSequenceParallel() {
    return new Layout(extents, schedule, context, data, false);
  }

  int ranks() {
    return extents.tensor * extents.context * extents.pipeline * extents.data;
  }

  /** Whether products or attention are computed otherwise than by a single rank. */
  boolean splitsSums() {
    return extents.tensor * extents.context > 1;
  }

  /** Whether a rank has gradients that no other adds to. */
  boolean hasWholeGradients() {
    return extents.context * extents.data == 1;
  }

  /**
   * The section {@code mesh} of a configuration.
   *
   * @param timeoutSeconds after which a rank that waits for another gives up
   */
  Map<String, Object> mesh(int timeoutSeconds) {
    Map<String, Object> bucketOptions = data.equals("zero1") ? Map.of("bucketElements", BUCKET_ELEMENTS) : Map.of();
    return Map.of(
        "fabric", Map.of("name", "local", "options", Map.of("timeoutSeconds", timeoutSeconds)),
        "tensor", extents.tensor,
        "context", extents.context,
        "pipeline", extents.pipeline,
        "data", extents.data,
        "schedule", schedule,
        "tensorParallel", Map.of("name", "column-row", "options", Map.of("sequenceParallel", sequenceParallel)),
        "contextParallel", context,
        "dataParallel", Map.of("name", data, "options", bucketOptions));
  }

  /** What is split and how, as in {@code tp2 sp pp2 zb-h1 dp2 zero1}. */
  @Override
  public String toString() {
    if (ranks() == 1) {
      return "alone";
    }
    return (axis("tp", extents.tensor, sequenceParallel ? "sp" : "") + axis("cp", extents.context, context)
        + axis("pp", extents.pipeline, schedule) + axis("dp", extents.data, data)).strip();
  }

  private static String axis(String name, int ranks, String how) {
    return ranks == 1 ? "" : " " + (name + ranks + " " + how).strip();
  }
}
