package io.hirundo.commlocal.internal;

import io.hirundo.mesh.Fabric;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import org.osgi.service.component.annotations.Component;

/** Fabric {@code local}. */
@Component
@HirundoStrategy(kind = "fabric", name = "local")
public final class LocalFactory implements StrategyFactory<NoOptions, Fabric> {
  @Override
  public Class<NoOptions> optionsType() {
    return NoOptions.class;
  }

  @Override
  public Class<Fabric> contract() {
    return Fabric.class;
  }

  @Override
  public Fabric create(NoOptions options) {
    return new LocalFabric();
  }
}
