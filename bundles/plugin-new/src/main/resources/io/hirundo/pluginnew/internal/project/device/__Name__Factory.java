package __package__;

import io.hirundo.device.ComputeBackend;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.strategy.StrategyRegistry;
import org.osgi.service.component.ComponentServiceObjects;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Offers the device {@code __name__}: found by its annotations, as soon as the jar lies in plugins/. */
@Component
@HirundoStrategy(kind = "device", name = "__name__")
public final class __Name__Factory implements StrategyFactory<__Name__Options, ComputeBackend> {
  private final ComponentServiceObjects<StrategyRegistry> registry;

  /** The registry itself is asked for later: it looks for factories, this one among them, when it is made. */
  @Activate
  public __Name__Factory(@Reference ComponentServiceObjects<StrategyRegistry> registry) {
    this.registry = registry;
  }

  @Override
  public Class<__Name__Options> optionsType() {
    return __Name__Options.class;
  }

  @Override
  public Class<ComputeBackend> contract() {
    return ComputeBackend.class;
  }

  @Override
  public ComputeBackend create(__Name__Options options) {
    StrategyRegistry strategies = registry.getService();
    try {
      return new __Name__Backend(strategies.create(ComputeBackend.class, options.on(), "device.options.on"));
    } finally {
      registry.ungetService(strategies);
    }
  }
}
