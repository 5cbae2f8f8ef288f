package io.hirundo.trainer.internal.session;

import io.hirundo.event.TrainingEvent.RunPlan;
import io.hirundo.event.TrainingEvent.RunStarted;
import io.hirundo.trainer.internal.accounting.StepWork;
import io.hirundo.trainer.internal.model.RankModel;
import io.hirundo.trainer.internal.record.RunDirectory;
import java.util.List;

/** What listeners are told of a run as it is now. */
public record RunDescription(LocalRun run) {
  /** For who listens from now on. */
  public RunStarted started(RunDirectory directory) {
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
  public List<String> products() {
    return run.onEachRank(part -> part.model().describeProducts()).stream().flatMap(List::stream).distinct().toList();
  }
}
