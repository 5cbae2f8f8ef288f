package io.hirundo.cli.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.lib.input.Excerpt;
import io.hirundo.lib.plugin.PluginStarter;
import io.hirundo.lib.plugin.UnusablePluginException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Starts the bundles of {@code plugins/} for the launcher, which sees only JDK classes. Starts all of them before it checks
 * their components, because one may need another. Stops those that fail.
 */
@Component(service = Function.class, property = "hirundo.plugins:Boolean=true")
public final class LaunchedPlugins implements Function<Collection<Bundle>, Map<Bundle, String>> {
    private static final int LONGEST_REASON = 240;

    private final BundleContext context;

    @Activate
    public LaunchedPlugins(BundleContext context) {
        this.context = context;
    }

    /** Returns the reason for each plugin that cannot start. */
    @Override
    public Map<Bundle, String> apply(Collection<Bundle> plugins) {
        PluginStarter starter = starter();
        Map<Bundle, String> unusable = new LinkedHashMap<>();
        for (Bundle plugin : plugins) {
            try {
                starter.start(plugin);
            } catch (BundleException failure) {
                unusable.put(plugin, reason(failure));
            } catch (UnusablePluginException failure) {
                unusable.put(plugin, Reason.of(failure));
            }
        }
        for (Bundle plugin : plugins) {
            if (!unusable.containsKey(plugin)) {
                try {
                    starter.check(plugin);
                } catch (UnusablePluginException failure) {
                    unusable.put(plugin, Reason.of(failure));
                }
            }
        }
        unusable.keySet().stream().filter(plugin -> !starter.hangs(plugin)).forEach(LaunchedPlugins::stop);
        // A plugin's names and exception messages are untrusted text.
        unusable.replaceAll((_, why) -> Excerpt.of(why, LONGEST_REASON));
        return unusable;
    }

    private PluginStarter starter() {
        try {
            return new PluginStarter(context);
        } catch (ConfigurationException wrongSetting) {
            // The launcher can only catch JDK exceptions.
            throw new IllegalArgumentException(wrongSetting.getMessage(), wrongSetting);
        }
    }

    /** Appends the cause: only it holds the activator's own message. */
    private static String reason(BundleException failure) {
        Throwable cause = failure.getCause();
        return cause == null ? Reason.of(failure) : Reason.of(failure) + ": " + Reason.of(cause);
    }

    private static void stop(Bundle plugin) {
        try {
            plugin.stop(Bundle.STOP_TRANSIENT);
        } catch (BundleException failure) {
            // The bundle is stopped anyway, and its failure is already reported.
        }
    }
}
