package io.hirundo.trainer.internal.audit;

import io.hirundo.AuditException;
import io.hirundo.CommunicationException;
import io.hirundo.HirundoException;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.trainer.internal.config.AuditSection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** What a run does between two steps about findings of the audit, as {@code audit.onFinding} says. All processes do the same. */
public final class AuditReaction {
  /** The run, as far as an audit reaches into it. All processes call all of this together. */
  public interface AuditedRun {
    /** Findings of all ranks that were not told yet; waits for everything that is being compared. */
    List<AuditFound> findings();

    long stepsDone();

    void tell(TrainingEvent event);

    /** Saves a checkpoint, where the run keeps any, and does no step until somebody resumes the run. */
    void saveAndPause(String reason);

    /**
     * Restores the newest checkpoint; {@link #stepsDone} is its step then.
     *
     * @throws CheckpointException where there is none
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
   * Waits for what is being compared, tells of what was wrong, and reacts.
   *
   * @param mayPause false at the end of a run: its state is saved then anyway, and there is no further step
   * @return whether the run is at an earlier step now
   * @throws AuditException where a rollback is asked for, and is not possible or was done too often
   */
  public boolean look(boolean mayPause) {
    if (!settings.isOn()) {
      return false;
    }
    List<AuditFound> findings = run.findings();
    if (findings.isEmpty()) {
      return false;
    }
    findings.forEach(run::tell);
    AuditFound first = findings.stream().min(Comparator.comparingLong(AuditFound::step)).orElseThrow();
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
      throw new AuditException(
          describe(first) + "; the run was rolled back " + rollbacks + " times already (audit.rollbacks): take the device of"
              + " rank " + first.rank() + " out or choose another precision, and continue with --resume");
    }
    rollbacks++;
    long from = run.stepsDone();
    try {
      run.restore();
    } catch (CommunicationException ended) {
      throw ended;
    } catch (HirundoException cannot) {
      throw new AuditException(
          describe(first) + ", and the run cannot roll back (" + cannot.getMessage() + "): take the device of rank " + first.rank()
              + " out, and save more often (checkpoint.everySteps)");
    }
    run.tell(new TrainingEvent.RunRolledBack(run.stepsDone(), from, describe(first)));
    if (run.stepsDone() >= first.step()) {
      throw new AuditException(
          describe(first) + ", and the newest checkpoint is of step " + run.stepsDone()
              + "; remove it and those after step " + (first.step() - 1) + ", and continue with --resume");
    }
  }

  /** In one line. */
  public static String describe(AuditFound found) {
    return String.format(
        Locale.ROOT, "audit: %s of %s is wrong on rank %d in step %d: element [%d, %d] of call %d is %.9g, expected %.9g within %.3g%s",
        found.operation(), found.place(), found.rank(), found.step(), found.row(), found.column(), found.call(), found.found(),
        found.expected(), found.bound(), found.replay().isEmpty() ? "" : "; " + found.replay());
  }
}
