package io.hirundo.parallelpp.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.schedule.PipelineShape;

/** Checks used by several schedules. */
final class Shapes {
    private Shapes() {}

    static void requireChunks(String schedule, int chunks, PipelineShape shape) {
        if (shape.chunks() != chunks) {
            throw new ConfigurationException("schedule " + schedule + ": supports "
                    + (chunks == 1 ? "one model chunk" : chunks + " model chunks") + " per rank, not "
                    + shape.chunks());
        }
    }
}
