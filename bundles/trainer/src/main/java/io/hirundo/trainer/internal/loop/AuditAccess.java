package io.hirundo.trainer.internal.loop;

import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.event.TrainingListener;
import io.hirundo.trainer.internal.audit.reaction.AuditReaction;
import io.hirundo.trainer.internal.checkpoint.RunSaves;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.swap.Pause;
import java.util.List;

/** Connects the audit to a run. */
record AuditAccess(LocalRun run, RunSaves saves, Pause pause, TrainingListener events)
        implements AuditReaction.AuditedRun {
    @Override
    public List<AuditFound> findings() {
        return run.audits().findings();
    }

    @Override
    public long stepsDone() {
        return run.stepsDone();
    }

    @Override
    public void publish(TrainingEvent event) {
        events.on(event);
    }

    @Override
    public void saveAndPause(String reason) {
        saves.saveNow();
        pause.ask(reason);
    }

    @Override
    public void restore() {
        saves.restore();
    }
}
