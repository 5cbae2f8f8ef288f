package __package__;

import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.schedule.ScheduleContract;

/** The contract of a pipeline schedule, one test per clause. */
@HirundoContract
class __Name__ScheduleTest implements ScheduleContract {
  private static final int EAGERNESS = 2;

  @Override
  public PipelineSchedule schedule() {
    return new __Name__Factory().create(new __Name__Options(EAGERNESS));
  }

  /** The claims of memory and time. A schedule that does not support every shape overrides supports() too. */
  @Override
  public int mostLiveActivations(PipelineShape shape, int rank) {
    return Math.min(EAGERNESS * (shape.ranks() - rank - 1) + 1, shape.microbatches());
  }

  @Override
  public double mostBubble(PipelineShape shape) {
    return (shape.ranks() - 1.0) / shape.microbatches();
  }
}
