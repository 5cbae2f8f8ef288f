package io.hirundo.configuration.internal.registry;

import io.hirundo.family.ModelFamily;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.lib.plugin.UnusableServices;
import io.hirundo.strategy.StrategyFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.Filter;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.util.tracker.ServiceTracker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs model families and kernels that are registered without {@link StrategyFactory}, or kernels of another kind: the registry
 * looks up only services of that type and kind.
 */
final class LoneFactories extends ServiceTracker<Object, Object> {
    private static final Logger LOG = LoggerFactory.getLogger(LoneFactories.class);

    LoneFactories(BundleContext context) {
        super(context, filter(), null);
    }

    private static Filter filter() {
        try {
            return FrameworkUtil.createFilter("(|(objectClass=" + ModelFamily.class.getName() + ")(objectClass="
                    + KernelProvider.class.getName() + "))");
        } catch (InvalidSyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Gets no service, so that it activates nothing. */
    @Override
    public Object addingService(ServiceReference<Object> reference) {
        warning(reference).ifPresent(LOG::warn);
        return null;
    }

    /** Of kernels that are registered with the kind of something else. */
    static Optional<String> warning(String kind, StrategyFactory<?, ?> factory, ServiceReference<?> reference) {
        return factory instanceof KernelProvider && !kind.equals(KernelProvider.KIND)
                ? Optional.of("a KernelProvider of " + UnusableServices.bundle(reference) + " has the kind " + kind
                        + ", so no device takes its kernels; annotate it" + " with @HirundoStrategy(kind = \""
                        + KernelProvider.KIND + "\")")
                : Optional.empty();
    }

    static Optional<String> warning(ServiceReference<?> reference) {
        List<String> types = Arrays.asList((String[]) reference.getProperty(Constants.OBJECTCLASS));
        if (types.contains(StrategyFactory.class.getName())) {
            return Optional.empty();
        }
        String bundle = UnusableServices.bundle(reference);
        return Optional.of(
                types.contains(ModelFamily.class.getName())
                        ? "a ModelFamily of " + bundle
                                + " is not registered as StrategyFactory, so model.architecture cannot choose it; annotate it with"
                                + " @Component(service = {StrategyFactory.class, ModelFamily.class})"
                        : "a KernelProvider of " + bundle
                                + " is not registered as StrategyFactory, so no device takes its kernels; annotate it with"
                                + " @Component(service = StrategyFactory.class)");
    }
}
