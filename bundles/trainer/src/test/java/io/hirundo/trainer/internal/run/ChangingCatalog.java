package io.hirundo.trainer.internal.run;

import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.trainer.internal.binding.Problems;
import io.hirundo.trainer.internal.strategy.Lease;
import io.hirundo.trainer.internal.strategy.Offer;
import io.hirundo.trainer.internal.strategy.StrategyCatalog;
import io.hirundo.trainer.internal.strategy.StrategyTable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Strategies that a test adds and takes away while a run goes on. */
final class ChangingCatalog implements StrategyCatalog {
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final List<Offer> held = new CopyOnWriteArrayList<>();
  private volatile StrategyTable table = StrategyTable.of();

  Offer add(String kind, String name, StrategyFactory<?, ?> factory) {
    var offer = new Offer(kind, name, "test." + name + " 1.0.0", factory);
    var more = new ArrayList<>(table.offers());
    more.add(offer);
    table = new StrategyTable(more);
    listeners.forEach(Runnable::run);
    return offer;
  }

  void remove(Offer offer) {
    table = new StrategyTable(table.offers().stream().filter(other -> other != offer).toList());
    listeners.forEach(Runnable::run);
  }

  boolean isHeld(Offer offer) {
    return held.contains(offer);
  }

  @Override
  public List<Offer> offers() {
    return table.offers();
  }

  @Override
  public <S> Lease lease(Class<S> contract, Choice choice, String path) {
    return hold(table.lease(contract, choice, path));
  }

  @Override
  public Lease hold(Lease lease) {
    held.add(lease.offer());
    return lease;
  }

  @Override
  public void release(Lease lease) {
    held.remove(lease.offer());
  }

  @Override
  public boolean serves(Offer offer) {
    return table.serves(offer);
  }

  @Override
  public boolean isThere(Offer offer) {
    return table.isThere(offer);
  }

  @Override
  public Registration onChange(Runnable listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  @Override
  public List<StrategyInfo> list() {
    return table.list();
  }

  @Override
  public <S> S create(Class<S> contract, Choice choice, String path) {
    return table.create(contract, choice, path);
  }

  @Override
  public Choice resolve(Class<?> contract, Choice choice, String path, Problems problems) {
    return table.resolve(contract, choice, path, problems);
  }
}
