package io.hirundo.trainer.internal.run;

import io.hirundo.ConfigurationException;
import io.hirundo.HirundoException;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import io.hirundo.train.Decision;
import io.hirundo.trainer.internal.config.ConfigurationBinder;
import io.hirundo.trainer.internal.config.ConfigurationDifference;
import io.hirundo.trainer.internal.config.RunConfiguration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces a run's strategies between two steps: every process makes the new ones ready and says whether it can, all try them
 * out, and all take them or none does. A refusal leaves everything as it was.
 */
final class StrategySwap {
  private static final Logger LOG = LoggerFactory.getLogger(StrategySwap.class);
  private static final String CAN = "+";
  private static final String CANNOT = "-";

  private final OpenRun run;
  private final RunStrategies strategies;
  private final RunCheckpoints checkpoints;
  private final RunDirectory directory;
  private final TrainingListener events;
  private RunConfiguration before;

  StrategySwap(
      OpenRun run,
      RunStrategies strategies,
      RunCheckpoints checkpoints,
      RunDirectory directory,
      TrainingListener events) {
    this.run = run;
    this.strategies = strategies;
    this.checkpoints = checkpoints;
    this.directory = directory;
    this.events = events;
  }

  /** What is asked for. */
  private record Wanted(List<String> assignments, String reason, boolean gated) {}

  /** Changes the configuration; all processes must call this with the same assignments. */
  Decision change(List<String> assignments, String reason) {
    return attempt(
        new Wanted(assignments, reason, true),
        () ->
            new ConfigurationBinder(strategies.catalog())
                .bind("", ConfigurationBinder.values(strategies.configuration()), assignments));
  }

  /** Leases anew what has gone or lost its place. */
  Decision refresh(String reason) {
    return attempt(new Wanted(List.of(), reason, true), strategies::configuration);
  }

  /** Goes back to the configuration before the last change. */
  Decision undo(String reason) {
    RunConfiguration back = before;
    return attempt(new Wanted(List.of(), reason, false), () -> back);
  }

  private Decision attempt(Wanted wanted, Supplier<RunConfiguration> configuration) {
    long begin = System.nanoTime();
    String objection = "";
    RunStrategies.Next next = null;
    StrategyChange change = null;
    try {
      try {
        next = strategies.next(possible(configuration.get()));
        change = new StrategyChange(run, next.configuration(), next.strategies());
        change.prepare();
      } catch (RuntimeException cannot) {
        objection = reasonOf(cannot);
      }
      String answer = objection.isEmpty() ? CAN + fingerprint(next) : CANNOT + objection;
      Optional<String> refusal = refusal(run.exchange(answer));
      String parity = "";
      if (refusal.isEmpty() && wanted.gated() && change.isToBeTriedOut()) {
        var verdict = change.tryOut();
        parity = verdict.text();
        refusal = verdict.passed() ? refusal : Optional.of("the parity gate: " + parity);
      }
      return refusal.isPresent()
          ? refused(wanted, refusal.get())
          : taken(wanted, next, change, parity, begin);
    } finally {
      if (change != null) {
        change.close();
      }
      if (next != null) {
        next.close();
      }
    }
  }

  private RunConfiguration possible(RunConfiguration next) {
    List<String> impossible = ConfigurationDifference.between(strategies.configuration(), next).impossible();
    if (!impossible.isEmpty()) {
      throw new ConfigurationException(
          String.join(", ", impossible) + ": cannot change while the run goes on; stop it, and continue with --resume and --set");
    }
    return next;
  }

  /** What processes must agree in: the configuration, and the very bundles that serve it. */
  private String fingerprint(RunStrategies.Next next) {
    return run.isWholeWorld() ? "" : next.fingerprint();
  }

  private static Optional<String> refusal(List<String> answers) {
    for (int rank = 0; rank < answers.size(); rank++) {
      String answer = answers.get(rank);
      if (answer.startsWith(CANNOT)) {
        return Optional.of(answer.substring(1));
      }
      if (!answer.equals(answers.getFirst())) {
        return Optional.of(
            "rank " + rank + " has another configuration or other bundles than rank 0; give all processes the same plugins");
      }
    }
    return Optional.empty();
  }

  private static String reasonOf(RuntimeException failure) {
    if (!(failure instanceof HirundoException)) {
      LOG.warn("a strategy that was to take over failed", failure);
      return "it failed: " + failure;
    }
    return failure.getMessage();
  }

  private Decision refused(Wanted wanted, String reason) {
    events.on(new TrainingEvent.ChangeRefused(run.stepsDone(), wanted.assignments(), reason));
    return new Decision(false, run.stepsDone(), reason);
  }

  private Decision taken(Wanted wanted, RunStrategies.Next next, StrategyChange change, String parity, long begin) {
    var difference = ConfigurationDifference.between(strategies.configuration(), next.configuration());
    List<String> changes = describe(difference, next);
    before = strategies.configuration();
    List<TrainingListener> monitors = strategies.strategies().outcome().monitors();
    change.take();
    if (change.changes().checkpoint()) {
      checkpoints.replaceStrategy();
    }
    next.take();
    next.strategies().outcome().monitors().stream()
        .filter(monitor -> directory.leads() && !monitors.contains(monitor))
        .forEach(monitor -> EventHub.deliver(monitor, run.started(directory)));
    directory.writeConfiguration(ConfigurationBinder.json(next.configuration()));
    events.on(
        new TrainingEvent.StrategiesChanged(run.stepsDone(), changes, wanted.reason(), parity, System.nanoTime() - begin));
    return new Decision(true, run.stepsDone(), String.join("; ", changes) + (parity.isEmpty() ? "" : " (" + parity + ")"));
  }

  private List<String> describe(ConfigurationDifference difference, RunStrategies.Next next) {
    var bundles =
        strategies.stale().stream()
            .map(lease -> lease.path() + ": " + lease.offer().name() + " of " + lease.offer().bundle() + " to " + next.bundleOf(lease.path()));
    var all = new ArrayList<>(Stream.concat(difference.changes().stream().map(Object::toString), bundles).toList());
    return all.isEmpty() ? List.of("nothing differs") : all;
  }
}
