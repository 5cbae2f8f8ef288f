package io.hirundo.trainer.internal.strategy;

import io.hirundo.event.TrainingListener;
import io.hirundo.train.StrategyInUse;
import io.hirundo.trainer.internal.config.ConfigurationBinder;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.lifecycle.Leftovers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The configuration of a run that goes on, with the strategies that it leases. */
public final class RunStrategies implements AutoCloseable {
  private final StrategyCatalog catalog;
  private RunConfiguration configuration;
  private Leases leases;
  private Strategies strategies;
  private final List<Lease> missing = new ArrayList<>();

  /** Makes every strategy of the configuration, and holds it until it is replaced or this is closed. */
  public RunStrategies(StrategyCatalog catalog, RunConfiguration configuration) {
    this.catalog = catalog;
    this.configuration = configuration;
    this.leases = Leases.begin(catalog);
    this.strategies = resolve(leases, configuration, Leases.begin(catalog));
  }

  /** On failure nothing stays held, and nothing of what {@code present} has is closed. */
  private static Strategies resolve(Leases leases, RunConfiguration configuration, Leases present) {
    try {
      Strategies resolved = new StrategyResolver(leases).resolve(configuration);
      leases.complete();
      return resolved;
    } catch (RuntimeException | Error failure) {
      leases.end(present);
      throw failure;
    }
  }

  /** Another configuration with its strategies; until {@link #take} the caller's. */
  public final class Next implements AutoCloseable {
    private final RunConfiguration configuration;
    private final Leases leases;
    private final Strategies strategies;
    private boolean taken;

    private Next(RunConfiguration configuration, boolean renews) {
      this.configuration = configuration;
      this.leases = RunStrategies.this.leases.next(renews);
      this.strategies = resolve(leases, configuration, RunStrategies.this.leases);
    }

    public RunConfiguration configuration() {
      return configuration;
    }

    public Strategies strategies() {
      return strategies;
    }

    /** The bundle that offers what is chosen at a path. */
    public String bundleOf(String path) {
      return leases.all().stream()
          .filter(lease -> lease.path().equals(path))
          .map(lease -> lease.offer().bundle())
          .findFirst()
          .orElse("nothing");
    }

    public String fingerprint() {
      return RunStrategies.fingerprint(configuration, leases);
    }

    /** Makes it the present one, and lets go of what only the one before needed: its objects are closed by now. */
    public void take() {
      Leases before = RunStrategies.this.leases;
      RunStrategies.this.configuration = configuration;
      RunStrategies.this.leases = leases;
      RunStrategies.this.strategies = strategies;
      taken = true;
      missing.clear();
      Leftovers.close("a strategy that was replaced", () -> before.end(leases));
    }

    @Override
    public void close() {
      if (!taken) {
        Leftovers.close("a strategy that is not taken", () -> leases.end(RunStrategies.this.leases));
      }
    }
  }

  /**
   * What of the present strategies is unchanged is the same object.
   *
   * @param renews as in {@link Leases#next}
   */
  public Next next(RunConfiguration configuration, boolean renews) {
    return new Next(configuration, renews);
  }

  /** Equal where configuration and bundles are: a line for the configuration, and one for each bundle. */
  public String fingerprint() {
    return fingerprint(configuration, leases);
  }

  private static String fingerprint(RunConfiguration configuration, Leases leases) {
    return Stream.concat(
            Stream.of("the configuration " + Integer.toHexString(ConfigurationBinder.json(configuration).hashCode())),
            leases.all().stream().map(lease -> lease.offer().bundleDigest()).distinct())
        .collect(Collectors.joining("\n"));
  }

  /** Whether what was chosen at a path is there; not after {@link #release}. */
  public boolean has(String path) {
    return leases.all().stream().anyMatch(lease -> lease.path().equals(path));
  }

  public RunConfiguration configuration() {
    return configuration;
  }

  public Strategies strategies() {
    return strategies;
  }

  public StrategyCatalog catalog() {
    return catalog;
  }

  /** As {@link Leases#stale}. */
  public List<Lease> stale() {
    return leases.stale();
  }

  /** As {@link Leases#gone}. */
  public List<Lease> gone() {
    return leases.gone();
  }

  /** Whether somebody offers, under the same name, all that has gone. */
  public boolean isServed() {
    return Stream.concat(gone().stream(), missing.stream())
        .allMatch(
            lease ->
                catalog.offers().stream()
                    .anyMatch(offer -> offer.kind().equals(lease.offer().kind()) && offer.name().equals(lease.offer().name())));
  }

  /** Lets the bundles of what is chosen at these paths go, once everything that they made is closed. */
  public void release(Set<String> paths) {
    for (Lease lease : leases.all()) {
      if (paths.contains(lease.path())) {
        Leftovers.close(lease.offer().name() + " of " + lease.offer().bundle(), () -> leases.release(lease));
        missing.add(lease);
      }
    }
  }

  /** Who listens; a monitor whose bundle has gone hears nothing more. */
  public List<TrainingListener> monitors() {
    return strategies.outcome().monitors().stream()
        .filter(monitor -> missing.stream().noneMatch(lease -> lease.strategy() == monitor))
        .toList();
  }

  /** What has gone or lost its place, whether it was released already or not. */
  public List<Lease> outdated() {
    return Stream.concat(missing.stream(), leases.stale().stream()).toList();
  }

  /** What was released and has no successor yet, as people read it; empty where nothing is missing. */
  public String missing() {
    return missing.isEmpty()
        ? ""
        : missing.stream()
            .map(lease -> lease.path() + ": " + lease.offer().name() + " of " + lease.offer().bundle())
            .collect(Collectors.joining(", ", "", missing.size() == 1 ? " has gone" : " have gone"));
  }

  /** With those that are missing, which have no bundle. */
  public List<StrategyInUse> inUse() {
    return Stream.concat(leases.all().stream(), missing.stream())
        .map(lease -> new StrategyInUse(lease.path(), lease.offer().name(), catalog.isThere(lease.offer()) ? lease.offer().bundle() : ""))
        .toList();
  }

  @Override
  public void close() {
    leases.end();
  }
}
