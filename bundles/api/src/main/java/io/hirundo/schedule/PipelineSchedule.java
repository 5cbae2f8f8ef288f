package io.hirundo.schedule;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** The order of a step's work, and which rank has which part of the model. Pure. Strategy kind {@code schedule}. */
@ConsumerType
public interface PipelineSchedule {
  /** Parts of the model on each rank, 1 or more. */
  default int chunks() {
    return 1;
  }

  /**
   * Which of the model's {@code shape.stages()} consecutive stages a rank's chunk is. A one-to-one map; by default chunk c of
   * rank r is stage {@code c ranks + r}.
   */
  default int stage(PipelineShape shape, int rank, int chunk) {
    return chunk * shape.ranks() + rank;
  }

  /**
   * Whether a backward-weight right after its backward-input may be run with it, as one backward. That needs less memory
   * between the halves, but the input's gradient goes out with the end of the whole: false where a rank waits for it.
   */
  default boolean fusesBackward() {
    return true;
  }

  /**
   * Plans one step. The forward of a stage needs that of the stage before, its backward-input needs its forward and the
   * backward-input of the stage behind, its backward-weight needs its backward-input; all of the same microbatch. Sends and
   * receives follow from that. Each is done once for every microbatch and chunk.
   *
   * @return for each rank its actions in order
   * @throws io.hirundo.ConfigurationException when the shape does not fit this schedule
   */
  List<List<Action>> plan(PipelineShape shape);
}
