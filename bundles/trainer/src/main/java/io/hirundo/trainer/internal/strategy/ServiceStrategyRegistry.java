package io.hirundo.trainer.internal.strategy;

import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.trainer.internal.binding.Problems;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.osgi.framework.Bundle;
import org.osgi.framework.ServiceReference;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The strategies that bundles offer as services, at any moment those that are there. */
@Component(service = {StrategyRegistry.class, StrategyCatalog.class})
public final class ServiceStrategyRegistry implements StrategyCatalog {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceStrategyRegistry.class);

  private final Map<ServiceReference<?>, Offer> services = new HashMap<>();
  private volatile StrategyTable table = StrategyTable.of();

  @Reference(
      service = StrategyFactory.class,
      cardinality = ReferenceCardinality.MULTIPLE,
      policy = ReferencePolicy.DYNAMIC)
  synchronized void addFactory(ServiceReference<?> reference, StrategyFactory<?, ?> factory) {
    if (!(reference.getProperty("hirundo.name") instanceof String name)
        || !(reference.getProperty("hirundo.kind") instanceof String kind)) {
      LOG.warn(
          "{} of {} lacks the property hirundo.name or hirundo.kind: it cannot be chosen; annotate it @HirundoStrategy",
          factory.getClass(), bundle(reference));
      return;
    }
    Offer offer = new Offer(kind, name, bundle(reference), factory);
    services.put(reference, offer);
    table = winners();
    long ofThisName = services.values().stream().filter(other -> key(other).equals(key(offer))).count();
    if (ofThisName > 1) {
      String winner = table.offers().stream().filter(o -> key(o).equals(key(offer))).findFirst().orElseThrow().bundle();
      LOG.info("{} bundles offer the {} {}; that of {} serves: it has the highest service ranking",
          ofThisName, kind, name, winner);
    }
  }

  synchronized void removeFactory(ServiceReference<?> reference) {
    services.remove(reference);
    table = winners();
  }

  private record Key(Class<?> contract, String name) {}

  private static Key key(Offer offer) {
    return new Key(offer.factory().contract(), offer.name());
  }

  /** Of several strategies of one contract and name, the one of the highest service ranking. */
  private StrategyTable winners() {
    Map<Key, Offer> winners = new HashMap<>();
    List<ServiceReference<?>> byRanking = new ArrayList<>(services.keySet());
    byRanking.sort(Comparator.reverseOrder());
    for (ServiceReference<?> reference : byRanking) {
      Offer offer = services.get(reference);
      winners.putIfAbsent(key(offer), offer);
    }
    return new StrategyTable(List.copyOf(winners.values()));
  }

  private static String bundle(ServiceReference<?> reference) {
    Bundle bundle = reference.getBundle();
    return bundle == null ? "an uninstalled bundle" : bundle.getSymbolicName() + " " + bundle.getVersion();
  }

  @Override
  public List<Offer> offers() {
    return table.offers();
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
