package io.hirundo.schedule;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** A pipeline schedule: the order of a step's actions, and which rank has which stage. Pure. Strategy kind {@code schedule}. */
@ConsumerType
public interface PipelineSchedule {
    /** Model chunks (virtual stages) per rank, 1 or more. */
    default int chunks() {
        return 1;
    }

    /**
     * The stage of a rank's chunk, out of {@code shape.stages()} consecutive stages. Must be one to one. The default is {@code c
     * ranks + r} for chunk c of rank r.
     */
    default int stage(PipelineShape shape, int rank, int chunk) {
        return chunk * shape.ranks() + rank;
    }

    /**
     * Whether a backward-weight directly after its backward-input may be fused with it. Fusing saves memory between the halves, but
     * sends the input gradient later. Return false if a rank waits for it.
     */
    default boolean fusesBackward() {
        return true;
    }

    /**
     * Plans one step. All dependencies are within a microbatch. A forward needs the forward of the previous stage. A backward-input
     * needs its own forward and the backward-input of the next stage. A backward-weight needs its backward-input. Each action
     * occurs once per microbatch and chunk.
     *
     * @return for each rank its actions in order
     * @throws io.hirundo.ConfigurationException if the schedule does not support the shape
     */
    List<List<Action>> plan(PipelineShape shape);
}
