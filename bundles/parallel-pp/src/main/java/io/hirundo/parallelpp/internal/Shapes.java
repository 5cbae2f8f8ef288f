package io.hirundo.parallelpp.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.schedule.PipelineShape;

/** Checks that the schedules share. */
final class Shapes {
  private Shapes() {}

  static void requireOneChunk(String schedule, PipelineShape shape) {
    if (shape.chunks() != 1) {
      throw new ConfigurationException(
          "schedule " + schedule + ": serves one model chunk a stage, not " + shape.chunks()
              + "; set the chunks to 1 or choose an interleaved schedule");
    }
  }
}
