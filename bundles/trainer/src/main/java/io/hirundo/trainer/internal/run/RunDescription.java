package io.hirundo.trainer.internal.run;

import io.hirundo.event.TrainingEvent.RunPlan;
import io.hirundo.event.TrainingEvent.RunStarted;
import java.util.List;

/** What listeners are told of a run as it is now. */
record RunDescription(OpenRun run) {
  /** For who listens from now on. */
  RunStarted started(RunDirectory directory) {
    RankModel first = run.first();
    return new RunStarted(
        run.configuration().run().name(), directory.path(), first.device().info(), run.ranks().mesh(), first.describeStages(), plan());
  }

  private RunPlan plan() {
    StepWork work = run.stepWork();
    return new RunPlan(
        run.first().parameterCount(), run.stepsDone() + 1, run.configuration().training().steps(), work.tokens(), work.modelFlops());
  }

  /** How the linear layers of this process's ranks are computed, in lines; none where the precision's name says all. */
  List<String> products() {
    return run.onEachRank(part -> part.model().describeProducts()).stream().flatMap(List::stream).distinct().toList();
  }
}
