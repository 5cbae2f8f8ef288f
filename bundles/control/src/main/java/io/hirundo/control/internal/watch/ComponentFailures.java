package io.hirundo.control.internal.watch;

import java.util.Collection;
import java.util.Optional;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import org.osgi.service.component.runtime.ServiceComponentRuntime;
import org.osgi.service.component.runtime.dto.ComponentConfigurationDTO;
import org.osgi.service.component.runtime.dto.ComponentDescriptionDTO;

/** What the runtime of components knows of those that could not be read or made. */
final class ComponentFailures {
  private static final String DESCRIPTIONS = "Service-Component";
  private static final String CAUSE = "Caused by: ";

  private final BundleContext context;

  ComponentFailures(BundleContext context) {
    this.context = context;
  }

  /** Names the first component that does not work, and why. */
  void refuseAny(Bundle bundle) throws RefusedPluginException {
    ServiceReference<ServiceComponentRuntime> reference = context.getServiceReference(ServiceComponentRuntime.class);
    if (reference == null || bundle.getHeaders().get(DESCRIPTIONS) == null) {
      return;
    }
    ServiceComponentRuntime runtime = context.getService(reference);
    try {
      Collection<ComponentDescriptionDTO> described = runtime.getComponentDescriptionDTOs(bundle);
      if (described.isEmpty()) {
        throw new RefusedPluginException(
            "what its " + DESCRIPTIONS + " names cannot be read: " + bundle.getHeaders().get(DESCRIPTIONS), null);
      }
      Optional<ComponentConfigurationDTO> failed =
          described.stream()
              .flatMap(component -> runtime.getComponentConfigurationDTOs(component).stream())
              .filter(made -> made.failure != null)
              .findFirst();
      if (failed.isPresent()) {
        throw new RefusedPluginException(
            "its component " + failed.get().description.name + " cannot be activated: " + reason(failed.get().failure),
            null);
      }
    } finally {
      context.ungetService(reference);
    }
  }

  /** Of a stack trace the exception that began it. */
  private static String reason(String trace) {
    String first = trace.lines().findFirst().orElse("");
    return trace.lines().map(String::strip).filter(line -> line.startsWith(CAUSE)).reduce((_, last) -> last)
        .map(line -> line.substring(CAUSE.length())).orElse(first);
  }
}
