package io.hirundo.trainer.internal.strategy;

import io.hirundo.family.ModelFamily;
import io.hirundo.strategy.StrategyFactory;
import java.util.Arrays;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceReference;
import org.osgi.util.tracker.ServiceTracker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs model families that are registered without {@link StrategyFactory}: formats find them, but no configuration can choose them. */
final class LoneFamilies extends ServiceTracker<ModelFamily<?>, Object> {
  private static final Logger LOG = LoggerFactory.getLogger(LoneFamilies.class);

  LoneFamilies(BundleContext context) {
    super(context, ModelFamily.class.getName(), null);
  }

  /** Gets no service, so that it activates nothing. */
  @Override
  public Object addingService(ServiceReference<ModelFamily<?>> reference) {
    warning(reference).ifPresent(LOG::warn);
    return null;
  }

  static Optional<String> warning(ServiceReference<?> reference) {
    var types = (String[]) reference.getProperty(Constants.OBJECTCLASS);
    if (Arrays.asList(types).contains(StrategyFactory.class.getName())) {
      return Optional.empty();
    }
    return Optional.of(
        "a ModelFamily of " + UnusableServices.bundle(reference) + " is not registered as StrategyFactory, so model.architecture cannot"
            + " choose it; annotate it with @Component(service = {StrategyFactory.class, ModelFamily.class})");
  }
}
