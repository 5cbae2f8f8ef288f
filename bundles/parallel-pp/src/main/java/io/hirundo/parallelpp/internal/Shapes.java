package io.hirundo.parallelpp.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.schedule.PipelineShape;

/** Checks that the schedules share. */
final class Shapes {
  private Shapes() {}

  static void requireChunks(String schedule, int chunks, PipelineShape shape) {
    if (shape.chunks() != chunks) {
      throw new ConfigurationException(
          "schedule " + schedule + ": serves " + (chunks == 1 ? "one model chunk" : chunks + " model chunks") + " on each rank, not "
              + shape.chunks());
    }
  }
}
