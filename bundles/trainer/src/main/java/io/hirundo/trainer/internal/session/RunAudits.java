package io.hirundo.trainer.internal.session;

import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.lib.engine.audit.AuditWorker;
import io.hirundo.trainer.internal.audit.reaction.FindingText;
import java.util.List;
import java.util.Optional;

/** The audit of a run: compares what its ranks recomputed, and gathers findings of all processes. */
public final class RunAudits {
    private final LocalRun run;
    /** Null where nothing is audited. */
    private final AuditWorker worker;

    RunAudits(LocalRun run, AuditWorker worker) {
        this.run = run;
        this.worker = worker;
    }

    /** Whether this process's audit has findings; the flag reaches other processes with the step. Thread-safe. */
    public boolean needAttention() {
        return worker != null && worker.needsAttention();
    }

    /** New findings of all ranks, after all comparisons finish. Collective. */
    public List<AuditFound> findings() {
        if (worker == null) {
            return List.of();
        }
        run.forEachRank(RankRun::finishAudit);
        worker.await();
        List<AuditFound> own = run.onEachRank(RankRun::auditFindings).stream()
                .flatMap(List::stream)
                .toList();
        // Each rank repeats its process's findings.
        return run.exchange(FindingText.of(own)).stream()
                .flatMap(FindingText::parse)
                .distinct()
                .toList();
    }

    /** Compares audited results of this process's ranks; empty if auditing is off. */
    public Optional<AuditWorker> worker() {
        return Optional.ofNullable(worker);
    }
}
