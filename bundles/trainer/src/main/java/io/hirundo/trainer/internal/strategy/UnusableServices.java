package io.hirundo.trainer.internal.strategy;

import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Services whose component cannot be made: the runtime of components keeps quiet about them, so whoever looks for them tells. */
public final class UnusableServices {
  private static final Logger LOG = LoggerFactory.getLogger(UnusableServices.class);

  private UnusableServices() {}

  /** Tells of those of a type that are offered now; who brings one later looks at it then. */
  public static void warn(BundleContext context, Class<?> type) {
    try {
      for (ServiceReference<?> reference : context.getServiceReferences(type, null)) {
        if (context.getService(reference) == null) {
          LOG.warn(
              "the {} of {} cannot be activated, and so is not used; HIRUNDO_JAVA_OPTS=-Dds.loglevel=error shows why",
              title(reference, type), bundle(reference));
        } else {
          context.ungetService(reference);
        }
      }
    } catch (InvalidSyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static String title(ServiceReference<?> reference, Class<?> type) {
    Object kind = reference.getProperty("hirundo.kind");
    return kind == null ? type.getSimpleName() : kind + " " + reference.getProperty("hirundo.name");
  }

  /** The bundle that offers a service, as people read it. */
  static String bundle(ServiceReference<?> reference) {
    var bundle = reference.getBundle();
    return bundle == null ? "an uninstalled bundle" : bundle.getSymbolicName() + " " + bundle.getVersion();
  }
}
