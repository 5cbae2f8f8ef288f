package io.hirundo.trainer.internal.loop;

import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.strategy.Lease;
import io.hirundo.trainer.internal.strategy.RunStrategies;
import io.hirundo.trainer.internal.strategy.StrategyCatalog;
import io.hirundo.trainer.internal.swap.StrategySwap;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Strategies that bundles offer, or no longer offer, while a run uses them. */
final class OfferChanges implements AutoCloseable {
  private static final String SERVED = "+";

  private final LocalRun run;
  private final RunStrategies strategies;
  private final StrategySwap swap;
  private final StrategyCatalog.Registration registration;
  /** Whether an offer has come or gone since the last look. */
  private final AtomicBoolean changed = new AtomicBoolean();

  /** Listens from now on to what comes and goes. */
  OfferChanges(LocalRun run, RunStrategies strategies, StrategySwap swap) {
    this.run = run;
    this.strategies = strategies;
    this.swap = swap;
    this.registration = strategies.catalog().onChange(() -> changed.set(true));
    // What came or went while the run was being opened.
    changed.set(true);
  }

  /** Whether something came or went in this process since {@link #takeChanged}. */
  boolean haveChanged() {
    return changed.get();
  }

  /** As {@link #haveChanged}, and forgets it. */
  boolean takeChanged() {
    return changed.getAndSet(false);
  }

  /**
   * Takes what serves now in the place of what has gone; where nothing does, lets go. Collective.
   *
   * @return false where everything in use is still served
   */
  boolean follow() {
    String stale =
        strategies.stale().stream().map(lease -> lease.path() + " " + lease.offer().name()).collect(Collectors.joining(", "));
    List<String> said = run.exchange((strategies.isServed() ? SERVED : "-") + stale + strategies.missing());
    if (said.stream().allMatch(SERVED::equals)) {
      return false;
    }
    // What nobody offers is not tried; the pause tells what is missing.
    boolean goesOn =
        said.stream().allMatch(text -> text.startsWith(SERVED))
            && swap.refresh("bundles came or went: " + (stale.isEmpty() ? strategies.missing() : stale)).granted();
    if (!goesOn) {
      // Gone in one process is gone for all: none can do a step without the others.
      String gone = strategies.gone().stream().map(Lease::path).collect(Collectors.joining(" "));
      swap.letGo(run.exchange(gone).stream().flatMap(text -> Stream.of(text.split(" "))).collect(Collectors.toSet()));
    }
    return true;
  }

  @Override
  public void close() {
    registration.close();
  }
}
