package io.hirundo.trainer.internal.audit.reaction;

import io.hirundo.AuditException;
import io.hirundo.CommunicationException;
import io.hirundo.HirundoException;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.lib.run.section.AuditSection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Reacts to audit findings between two steps as {@code audit.onFinding} says. All processes react the same. */
public final class AuditReaction {
    /** The parts of a run that the audit uses. All processes call each method together. */
    public interface AuditedRun {
        /** The findings of all ranks that were not reported yet. Waits for comparisons in progress. */
        List<AuditFound> findings();

        long stepsDone();

        void publish(TrainingEvent event);

        /** Saves a checkpoint, if the run keeps checkpoints, and pauses until a user resumes the run. */
        void saveAndPause(String reason);

        /**
         * Restores the newest checkpoint. Afterwards {@link #stepsDone} is its step.
         *
         * @throws CheckpointException if there is none
         */
        void restore();
    }

    private final AuditedRun run;
    private final AuditSection settings;
    private int rollbacks;

    public AuditReaction(AuditedRun run, AuditSection settings) {
        this.run = run;
        this.settings = settings;
    }

    /**
     * Waits for comparisons in progress, reports findings and reacts to them.
     *
     * @param mayPause false at the end of a run, when the state is saved anyway and no step follows
     * @return whether the run was rolled back to an earlier step
     * @throws AuditException if a rollback is configured, and it is impossible or was done too often
     */
    public boolean look(boolean mayPause) {
        if (!settings.isOn()) {
            return false;
        }
        List<AuditFound> findings = run.findings();
        if (findings.isEmpty()) {
            return false;
        }
        findings.forEach(run::publish);
        AuditFound first = findings.stream()
                .min(Comparator.comparingLong(AuditFound::step))
                .orElseThrow();
        switch (settings.onFinding()) {
            case LOG -> {
                return false;
            }
            case PAUSE -> {
                if (mayPause) {
                    run.saveAndPause(describe(first));
                }
                return false;
            }
            case ROLLBACK -> {
                rollBack(first);
                return true;
            }
        }
        throw new AssertionError(settings.onFinding());
    }

    private void rollBack(AuditFound first) {
        if (rollbacks == settings.rollbacks()) {
            throw new AuditException(describe(first) + "; the run was rolled back " + rollbacks
                    + " times already (audit.rollbacks): take the device of" + " rank " + first.rank()
                    + " out or choose another precision, and continue with --resume");
        }
        rollbacks++;
        long from = run.stepsDone();
        try {
            run.restore();
        } catch (CommunicationException ended) {
            throw ended;
        } catch (HirundoException cannot) {
            throw new AuditException(describe(first) + ", and the run cannot roll back (" + cannot.getMessage()
                    + "): take the device of rank " + first.rank()
                    + " out, and save more often (checkpoint.everySteps)");
        }
        run.publish(new TrainingEvent.RunRolledBack(run.stepsDone(), from, describe(first)));
        if (run.stepsDone() >= first.step()) {
            throw new AuditException(describe(first) + ", and the newest checkpoint is of step " + run.stepsDone()
                    + "; remove it and those after step " + (first.step() - 1) + ", and continue with --resume");
        }
    }

    /** Describes a finding in one line. */
    public static String describe(AuditFound found) {
        return String.format(
                Locale.ROOT,
                "audit: %s of %s is wrong on rank %d in step %d: element [%d, %d] of call %d is %.9g, expected %.9g within %.3g%s",
                found.operation(),
                found.place(),
                found.rank(),
                found.step(),
                found.row(),
                found.column(),
                found.call(),
                found.found(),
                found.expected(),
                found.bound(),
                found.replay().isEmpty() ? "" : "; " + found.replay());
    }
}
