package io.hirundo.schedule;

/**
 * What a schedule is planned for.
 *
 * @param ranks along the pipeline axis
 * @param chunks parts of the model on each rank
 * @param microbatches of a step, on each pipeline
 */
public record PipelineShape(int ranks, int chunks, int microbatches) {
  public PipelineShape {
    if (ranks < 1 || chunks < 1 || microbatches < 1) {
      throw new IllegalArgumentException(
          "a pipeline needs a rank, a chunk and a microbatch, not " + ranks + ", " + chunks + " and " + microbatches);
    }
  }

  /** Consecutive parts that the model is cut into. */
  public int stages() {
    return ranks * chunks;
  }
}
