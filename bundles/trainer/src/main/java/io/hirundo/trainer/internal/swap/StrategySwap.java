package io.hirundo.trainer.internal.swap;

import io.hirundo.ConfigurationException;
import io.hirundo.StorageException;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import io.hirundo.train.Decision;
import io.hirundo.trainer.internal.checkpoint.RunCheckpoints;
import io.hirundo.trainer.internal.config.ConfigurationBinder;
import io.hirundo.trainer.internal.config.ConfigurationDifference;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.record.EventHub;
import io.hirundo.trainer.internal.record.RunDirectory;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.RunDescription;
import io.hirundo.trainer.internal.session.RunWarnings;
import io.hirundo.trainer.internal.session.StrategyChange;
import io.hirundo.trainer.internal.strategy.RunStrategies;
import io.hirundo.trainer.internal.strategy.Strategies;
import io.hirundo.trainer.internal.strategy.StrategyDifference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces a run's strategies between two steps: every process makes the new ones ready and says whether it can, all try them
 * out, and all take them or none does. A refusal leaves everything as it was.
 */
public final class StrategySwap {
  private static final Logger LOG = LoggerFactory.getLogger(StrategySwap.class);

  private final LocalRun run;
  private final RunStrategies strategies;
  private final RunCheckpoints checkpoints;
  private final RunDirectory directory;
  private final EventHub events;
  private final RunWarnings warnings;
  private final ProcessAgreement agreement;
  private RunConfiguration before;

  public StrategySwap(
      LocalRun run,
      RunStrategies strategies,
      RunCheckpoints checkpoints,
      RunDirectory directory,
      EventHub events,
      RunWarnings warnings) {
    this.run = run;
    this.strategies = strategies;
    this.checkpoints = checkpoints;
    this.directory = directory;
    this.events = events;
    this.warnings = warnings;
    this.agreement = new ProcessAgreement(run);
  }

  /**
   * What is asked for.
   *
   * @param gated whether the parity gate is asked
   * @param keepsUndo whether {@link #undo} still goes back to where it would have gone before
   * @param renews whether bundles are followed that have taken the place of others
   */
  private record Wanted(List<String> assignments, String reason, boolean gated, boolean keepsUndo, boolean renews) {}

  /**
   * Changes the configuration; all processes must call this with the same assignments.
   *
   * @param watched whether an earlier change is still watched: {@link #undo} would take back both
   */
  public Decision change(List<String> assignments, boolean watched) {
    return attempt(
        new Wanted(assignments, "asked for", true, watched, false),
        () ->
            new ConfigurationBinder(strategies.catalog())
                .bind("", ConfigurationBinder.values(strategies.configuration()), assignments));
  }

  /** Leases anew what has gone or lost its place. */
  public Decision refresh(String reason) {
    return attempt(new Wanted(List.of(), reason, true, true, true), strategies::configuration);
  }

  /** Goes back to the configuration before the change that is watched. */
  public Decision undo(String reason) {
    RunConfiguration back = before;
    return attempt(new Wanted(List.of(), reason, false, false, false), () -> back);
  }

  /** Closes what the strategies at these paths have made, and lets their bundles go. Nothing where there are none. */
  public void letGo(Set<String> paths) {
    StrategyDifference lost = StrategyDifference.of(paths);
    if (lost.checkpoint()) {
      checkpoints.close();
    }
    if (lost.store()) {
      checkpoints.copies().close();
    }
    run.release(lost);
    strategies.release(paths);
  }

  private Decision attempt(Wanted wanted, Supplier<RunConfiguration> configuration) {
    long begin = System.nanoTime();
    var attempt = new Attempt();
    try {
      Optional<String> refusal =
          agreement.attempt(
              () -> {
                attempt.next = strategies.next(possible(configuration.get()), wanted.renews());
                attempt.change = new StrategyChange(run, attempt.next.configuration(), attempt.next.strategies());
                attempt.change.prepare();
                return fingerprint(attempt.next);
              });
      String parity = "";
      if (refusal.isEmpty() && wanted.gated() && attempt.change.isToBeTriedOut()) {
        var verdict = attempt.change.tryOut();
        parity = verdict.text();
        refusal = verdict.passed() ? refusal : Optional.of("the parity gate: " + parity);
      }
      if (refusal.isEmpty() && isCopiedElsewhere(attempt)) {
        refusal = prepareStore(attempt.next);
      }
      if (refusal.isEmpty() && attempt.change.changes().checkpoint()) {
        refusal = exchangeCheckpoints(attempt.next.strategies());
      }
      return refusal.isPresent() ? refused(wanted, refusal.get()) : taken(wanted, attempt, parity, begin);
    } finally {
      checkpoints.copies().discard();
      attempt.close();
    }
  }

  /** What an attempt has made so far; closing gives back what was not taken. */
  private static final class Attempt implements AutoCloseable {
    private RunStrategies.Next next;
    private StrategyChange change;

    @Override
    public void close() {
      // The leases end last, also where the objects of their strategies cannot be closed.
      try (var _ = next) {
        if (change != null) {
          change.close();
        }
      }
    }
  }

  /**
   * Two strategies cannot keep the same folder open. So the present one ends its saves and the other opens; where that fails in
   * one process, the present one opens again in all.
   */
  private Optional<String> exchangeCheckpoints(Strategies next) {
    checkpoints.close();
    Optional<String> refusal = agreement.attempt(() -> checkpoints.open(next.outcome().checkpoint()));
    if (refusal.isPresent()) {
      checkpoints.close();
      if (strategies.has("checkpoint.strategy")) {
        checkpoints.open(run.strategies().outcome().checkpoint());
      }
    }
    return refusal;
  }

  private boolean isCopiedElsewhere(Attempt attempt) {
    int keepCopies = attempt.next.configuration().checkpoint().keepCopies();
    return attempt.change.changes().store() || keepCopies != strategies.configuration().checkpoint().keepCopies();
  }

  /** Beside the present one: stores do not get in each other's way. */
  private Optional<String> prepareStore(RunStrategies.Next next) {
    return agreement.attempt(
        () -> checkpoints.copies().prepare(next.strategies().outcome().store(), next.configuration().run().name()));
  }

  private RunConfiguration possible(RunConfiguration next) {
    List<String> impossible = ConfigurationDifference.between(strategies.configuration(), next).impossible();
    if (!impossible.isEmpty()) {
      throw new ConfigurationException(
          String.join(", ", impossible) + ": cannot change while the run goes on; stop it, and continue with --resume and --set");
    }
    return next;
  }

  /**
   * To be called before the first step.
   *
   * @throws ConfigurationException where processes have begun with different bundles or configurations
   */
  public void requireAgreement() {
    if (!run.ranks().areAll()) {
      agreement
          .compare(strategies.fingerprint())
          .ifPresent(
              reason -> {
                throw new ConfigurationException(reason);
              });
    }
  }

  /** What processes must agree in: the configuration, and the very bundles that serve it. */
  private String fingerprint(RunStrategies.Next next) {
    return run.ranks().areAll() ? "" : next.fingerprint();
  }

  private Decision refused(Wanted wanted, String reason) {
    events.on(new TrainingEvent.ChangeRefused(run.stepsDone(), wanted.assignments(), reason));
    return new Decision(false, run.stepsDone(), reason);
  }

  private Decision taken(Wanted wanted, Attempt attempt, String parity, long begin) {
    var next = attempt.next;
    var changes =
        new ArrayList<>(describe(ConfigurationDifference.between(strategies.configuration(), next.configuration()), next));
    if (!wanted.keepsUndo()) {
      before = strategies.configuration();
    }
    List<TrainingListener> monitors = strategies.monitors();
    boolean copiedElsewhere = isCopiedElsewhere(attempt);
    attempt.change.take();
    if (copiedElsewhere) {
      checkpoints.copies().take(next.configuration());
    }
    if (attempt.change.changes().precision()) {
      changes.addAll(new RunDescription(run).products());
    }
    next.take();
    strategies.monitors().stream()
        .filter(monitor -> directory.leads() && !monitors.contains(monitor))
        .forEach(monitor -> events.deliver(monitor, new RunDescription(run).started(directory)));
    writeConfiguration(next.configuration());
    events.on(
        new TrainingEvent.StrategiesChanged(run.stepsDone(), changes, wanted.reason(), parity, System.nanoTime() - begin));
    warnings.tell();
    return new Decision(true, run.stepsDone(), String.join("; ", changes) + (parity.isEmpty() ? "" : " (" + parity + ")"));
  }

  /** The run goes on where this fails: it is for those who resume it. */
  private void writeConfiguration(RunConfiguration configuration) {
    try {
      directory.writeConfiguration(ConfigurationBinder.json(configuration));
    } catch (StorageException failure) {
      LOG.error("{}; --resume would go on with the strategies of before the change: give the same --set", failure.getMessage());
    }
  }

  private List<String> describe(ConfigurationDifference difference, RunStrategies.Next next) {
    var bundles =
        strategies.outdated().stream()
            .map(lease -> lease.path() + ": " + lease.offer().name() + " of " + lease.offer().bundle() + " to " + next.bundleOf(lease.path()));
    var all = new ArrayList<>(Stream.concat(difference.changes().stream().map(Object::toString), bundles).toList());
    return all.isEmpty() ? List.of("nothing differs") : all;
  }
}
