package io.hirundo.trainer.internal.checkpoint.restore;

import io.hirundo.CheckpointException;
import io.hirundo.lib.engine.rank.RankAgreement;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.RankRun;
import java.util.List;
import java.util.function.Consumer;

/** Work with a checkpoint on all ranks. That it is damaged is a result, which all ranks get. */
final class RankAttempts {
    private RankAttempts() {}

    /** Returns the problem of the checkpoint on any rank; empty if all ranks did the work. Other failures are thrown on all ranks. Collective. */
    static String problem(LocalRun run, Consumer<RankRun> work) {
        List<String> problems =
                run.onEachRank(part -> new RankAgreement(part.model().rank()).attempt(() -> problem(part, work)));
        return first(run.exchange(first(problems)));
    }

    private static String problem(RankRun part, Consumer<RankRun> work) {
        try {
            work.accept(part);
            return "";
        } catch (CheckpointException damage) {
            return FoundByRankZero.oneLine(damage.getMessage());
        }
    }

    private static String first(List<String> problems) {
        return problems.stream()
                .filter(problem -> !problem.isEmpty())
                .findFirst()
                .orElse("");
    }
}
