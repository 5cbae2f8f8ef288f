package io.hirundo.schedule;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/** The order of a step's work. A pure function. Strategy kind {@code schedule}. */
@ConsumerType
public interface PipelineSchedule {
  /**
   * Plans one step.
   *
   * @return for each stage its actions in order
   * @throws io.hirundo.ConfigurationException when the shape does not fit this schedule
   */
  List<List<Action>> plan(PipelineShape shape);
}
