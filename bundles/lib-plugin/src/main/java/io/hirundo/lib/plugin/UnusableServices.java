package io.hirundo.lib.plugin;

import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs services whose component cannot be activated, because the component runtime does not. */
public final class UnusableServices {
    private static final Logger LOG = LoggerFactory.getLogger(UnusableServices.class);

    private UnusableServices() {}

    /** Logs those of a type that are registered now; callers check later registrations themselves. */
    public static void warn(BundleContext context, Class<?> type) {
        try {
            for (ServiceReference<?> reference : context.getServiceReferences(type, null)) {
                if (context.getService(reference) == null) {
                    LOG.warn(
                            "the {} of {} cannot be activated and is not used; to see why, set HIRUNDO_JAVA_OPTS=-Dds.loglevel=error",
                            title(reference, type),
                            bundle(reference));
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

    /** The bundle that offers a service, for messages. */
    public static String bundle(ServiceReference<?> reference) {
        var bundle = reference.getBundle();
        return bundle == null ? "an uninstalled bundle" : bundle.getSymbolicName() + " " + bundle.getVersion();
    }
}
