package io.hirundo.trainer.internal.strategy;

import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.trainer.internal.lifecycle.Opened;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The strategies of one configuration, each held until {@link #end}. What an earlier configuration chose in the same words, of
 * a bundle that is still there, is taken over as it is, so that a swap touches only what differs.
 */
public final class Leases implements StrategyRegistry {
  /** What a run works with from its first step to its last: it would not be let go before. */
  private static final Pattern FOR_THE_WHOLE_RUN =
      Pattern.compile("device|mesh\\.fabric|mesh\\.dataParallel|model\\..*|data\\.tokenizer");

  private final StrategyCatalog catalog;
  private final Map<String, Lease> byPath = new LinkedHashMap<>();
  private final Map<String, Lease> earlier;
  private final boolean renews;

  private Leases(StrategyCatalog catalog, Map<String, Lease> earlier, boolean renews) {
    this.catalog = catalog;
    this.earlier = new HashMap<>(earlier);
    this.renews = renews;
  }

  /** Of a run that begins. */
  public static Leases begin(StrategyCatalog catalog) {
    return new Leases(catalog, Map.of(), false);
  }

  /**
   * Of a run that goes on in another way.
   *
   * @param renews whether what is chosen in the same words is leased anew where another bundle has taken its place
   */
  public Leases next(boolean renews) {
    return new Leases(catalog, byPath, renews);
  }

  @Override
  public List<StrategyInfo> list() {
    return catalog.list();
  }

  @Override
  public <S> S create(Class<S> contract, Choice choice, String path) {
    Lease before = earlier.get(path);
    boolean same =
        before != null
            && before.choice().equals(choice)
            && contract.isInstance(before.strategy())
            && (isForTheWholeRun(path) || (renews ? catalog.serves(before.offer()) : catalog.isThere(before.offer())));
    Lease lease = same ? catalog.hold(before) : catalog.lease(contract, choice, path);
    byPath.put(path, lease);
    return contract.cast(lease.strategy());
  }

  /** All choices are made: what was chosen earlier, and its bundles, may be forgotten. */
  public void complete() {
    earlier.clear();
  }

  /** In the order in which they were taken. */
  public Collection<Lease> all() {
    return List.copyOf(byPath.values());
  }

  private static boolean isForTheWholeRun(String path) {
    return FOR_THE_WHOLE_RUN.matcher(path).matches();
  }

  /** Those that can be replaced and whose bundle has gone, or has lost its place to another. */
  public List<Lease> stale() {
    return byPath.values().stream()
        .filter(lease -> !isForTheWholeRun(lease.path()) && !catalog.serves(lease.offer()))
        .toList();
  }

  /** Of the {@link #stale}, those whose bundle has gone. */
  public List<Lease> gone() {
    return stale().stream().filter(lease -> !catalog.isThere(lease.offer())).toList();
  }

  /** Lets go of all; closes what has to be closed and is not among the strategies of {@code successor}. */
  public void end(Leases successor) {
    var opened = new Opened();
    for (Lease lease : byPath.values()) {
      opened.add(lease, catalog::release);
      if (successor.byPath.values().stream().noneMatch(other -> other.strategy() == lease.strategy())) {
        opened.add(lease, Leases::close);
      }
    }
    byPath.clear();
    opened.close();
  }

  /** Lets go of all. */
  public void end() {
    end(begin(catalog));
  }

  /** Lets go of one, all of whose objects are closed, and closes itself where it has to be: its bundle may go. */
  public void release(Lease lease) {
    if (byPath.remove(lease.path(), lease)) {
      try {
        close(lease);
      } finally {
        catalog.release(lease);
      }
    }
  }

  /** Closes a strategy that has to be. */
  static void close(Lease lease) {
    try {
      if (lease.strategy() instanceof AutoCloseable closeable) {
        closeable.close();
      }
    } catch (RuntimeException failure) {
      throw failure;
    } catch (Exception failure) {
      throw new IllegalStateException(
          "cannot close " + lease.path() + " " + lease.offer().name() + ": " + failure.getMessage(), failure);
    }
  }
}
