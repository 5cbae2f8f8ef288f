package io.hirundo.lib.plugin;

import io.hirundo.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import org.osgi.service.component.runtime.ServiceComponentRuntime;
import org.osgi.service.component.runtime.dto.ComponentConfigurationDTO;
import org.osgi.service.component.runtime.dto.ComponentDescriptionDTO;

/** State of a bundle's components in the component runtime. */
final class ComponentRuntime {
    private static final String STRATEGY_KIND = "hirundo.kind";
    private static final String STRATEGY_NAME = "hirundo.name";
    private static final String CAUSE = "Caused by: ";

    private final BundleContext context;
    private final Bundle bundle;

    ComponentRuntime(BundleContext context, Bundle bundle) {
        this.context = context;
        this.bundle = bundle;
    }

    /**
     * Checks that all strategies and components activate; the exception names the first that does not.
     *
     * @param classes of the described components
     */
    void check(List<String> classes) throws UnusablePluginException {
        Optional<String> missing = strategyThatIsNotMade();
        ServiceReference<ServiceComponentRuntime> reference =
                context.getServiceReference(ServiceComponentRuntime.class);
        if (reference != null) {
            try {
                check(context.getService(reference), classes);
            } finally {
                context.ungetService(reference);
            }
        }
        if (missing.isPresent()) {
            throw new UnusablePluginException("its " + missing.get() + " cannot be activated");
        }
    }

    private void check(ServiceComponentRuntime runtime, List<String> classes) throws UnusablePluginException {
        Collection<ComponentDescriptionDTO> accepted = runtime.getComponentDescriptionDTOs(bundle);
        // The runtime logs a description that it cannot use, and continues without it.
        var left = new ArrayList<>(classes);
        accepted.forEach(component -> left.remove(component.implementationClass));
        if (!left.isEmpty()) {
            throw new UnusablePluginException("the component runtime accepts " + accepted.size() + " of its "
                    + classes.size() + " components, not that of the class " + left.getFirst()
                    + ": -Dds.loglevel=error in HIRUNDO_JAVA_OPTS shows why");
        }
        Optional<ComponentConfigurationDTO> failed = accepted.stream()
                .flatMap(component -> runtime.getComponentConfigurationDTOs(component).stream())
                .filter(made -> made.failure != null)
                .findFirst();
        if (failed.isPresent()) {
            throw new UnusablePluginException("its component " + failed.get().description.name
                    + " cannot be activated: " + reason(failed.get().failure));
        }
    }

    private Optional<String> strategyThatIsNotMade() {
        ServiceReference<?>[] offered = bundle.getRegisteredServices();
        for (ServiceReference<?> reference : offered == null ? new ServiceReference<?>[0] : offered) {
            if (reference.getProperty(STRATEGY_KIND) == null) {
                continue;
            }
            if (context.getService(reference) == null) {
                return Optional.of(reference.getProperty(STRATEGY_KIND) + " " + reference.getProperty(STRATEGY_NAME));
            }
            context.ungetService(reference);
        }
        return Optional.empty();
    }

    /** The root cause in a stack trace. */
    private static String reason(String trace) {
        String first = trace.lines().findFirst().orElse("");
        return Reason.ofTraceLine(trace.lines()
                .map(String::strip)
                .filter(line -> line.startsWith(CAUSE))
                .reduce((_, last) -> last)
                .map(line -> line.substring(CAUSE.length()))
                .orElse(first));
    }
}
