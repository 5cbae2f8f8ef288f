package io.hirundo.trainer.internal.session;

import io.hirundo.event.TrainingEvent.RunPlan;
import io.hirundo.event.TrainingEvent.RunStarted;
import io.hirundo.lib.engine.accounting.StepWork;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.trainer.internal.record.RunDirectory;
import java.util.List;

/** Describes a run to listeners. */
public record RunDescription(LocalRun run) {
    /** For listeners that subscribe from now on. */
    public RunStarted started(RunDirectory directory) {
        RankModel first = run.first();
        return new RunStarted(
                run.configuration().run().name(),
                directory.path(),
                first.device().info(),
                run.ranks().mesh(),
                first.describeStages(),
                plan());
    }

    private RunPlan plan() {
        StepWork work = run.configuration().training().step().work(run.spec());
        return new RunPlan(
                run.first().parameterCount(),
                run.stepsDone() + 1,
                run.configuration().training().steps(),
                work.tokens(),
                work.modelFlops());
    }

    /** The GEMM precision summary of this process's ranks; empty where the precision's name is the summary. */
    public List<String> products() {
        return run.onEachRank(part -> part.model().describeProducts()).stream()
                .flatMap(List::stream)
                .distinct()
                .toList();
    }
}
