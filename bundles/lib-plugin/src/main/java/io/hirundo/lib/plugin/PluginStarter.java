package io.hirundo.lib.plugin;

import io.hirundo.ConfigurationException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.wiring.BundleRevision;

/**
 * Starts plugins on separate threads. Code that does not return within the limit is interrupted; if it ignores the interrupt, it
 * keeps running.
 */
public final class PluginStarter {
    private static final String LIMIT = "hirundo.start.seconds";
    private static final String DEFAULT_SECONDS = "30";

    /** Time for interrupted code to end. */
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(1);

    private final BundleContext context;
    private final Function<Bundle, Duration> limits;

    /** Threads that ignored the interrupt, by the bundle whose code they run. */
    private final Map<Bundle, Thread> unreturned = new ConcurrentHashMap<>();

    /**
     * Uses the limit of the framework or system property {@code hirundo.start.seconds}.
     *
     * @throws ConfigurationException if it is not a positive number
     */
    public PluginStarter(BundleContext context) {
        Duration limit = limit(context);
        this(context, _ -> limit);
    }

    /** Uses separate limits for the start and for the check of components. */
    public PluginStarter(BundleContext context, Function<Bundle, Duration> limits) {
        this.context = context;
        this.limits = limits;
    }

    private static Duration limit(BundleContext context) {
        String configured = context.getProperty(LIMIT);
        String seconds = configured == null ? DEFAULT_SECONDS : configured;
        if (!seconds.matches("[1-9][0-9]{0,5}")) {
            throw new ConfigurationException(
                    LIMIT + ": '" + seconds + "' is wrong (allowed: whole seconds from 1 to 999999)");
        }
        return Duration.ofSeconds(Long.parseLong(seconds));
    }

    /**
     * Starts a bundle; fragments are skipped.
     *
     * @throws BundleException if it does not resolve, or its activator throws
     * @throws UnusablePluginException if it was built for an incompatible API, or does not start within the limit; if it ignores
     *     interrupts, it {@link #hangs}
     */
    public void start(Bundle bundle) throws BundleException, UnusablePluginException {
        if ((bundle.adapt(BundleRevision.class).getTypes() & BundleRevision.TYPE_FRAGMENT) != 0) {
            return;
        }
        ApiVersionCheck.check(bundle);
        String activator = bundle.getHeaders("").get(Constants.BUNDLE_ACTIVATOR);
        try {
            within(bundle, activator == null ? "one of its components" : "its activator " + activator, () -> {
                bundle.start(Bundle.START_ACTIVATION_POLICY);
                return null;
            });
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof BundleException rejected) {
                if (activator != null && rejected.getCause() instanceof ClassNotFoundException) {
                    throw new UnusablePluginException("its activator " + activator + " is not in it", rejected);
                }
                throw rejected;
            }
            throw unexpected(failure);
        }
    }

    /**
     * Checks the components of a started bundle, and creates each of its strategies once. Components are created lazily, so a
     * broken one would otherwise fail only in a run.
     *
     * @throws UnusablePluginException names the first component that fails, and why
     */
    public void check(Bundle bundle) throws UnusablePluginException {
        try {
            within(bundle, "one of its components", () -> {
                List<String> classes = new ComponentDescriptions(bundle).check();
                new ComponentRuntime(context, bundle).check(classes);
                return null;
            });
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof UnusablePluginException unusable) {
                throw unusable;
            }
            throw unexpected(failure);
        }
    }

    /**
     * Whether a bundle's activator, or a component that started with it, has not returned. Stopping, updating or uninstalling the bundle
     * would block. Bundles with lazy activation do not count.
     */
    public boolean hangs(Bundle bundle) {
        Thread thread = unreturned.get(bundle);
        return thread != null && thread.isAlive()
                || bundle.getState() == Bundle.STARTING
                        && bundle.getHeaders("").get(Constants.BUNDLE_ACTIVATIONPOLICY) == null;
    }

    /** A plugin may throw anything. */
    private static UnusablePluginException unexpected(ExecutionException failure) {
        return new UnusablePluginException("it failed with " + failure.getCause(), failure.getCause());
    }

    private void within(Bundle bundle, String what, Callable<Void> work)
            throws ExecutionException, UnusablePluginException {
        Duration limit = limits.apply(bundle);
        FutureTask<Void> task = new FutureTask<>(work);
        Thread thread =
                Thread.ofPlatform().daemon().name("hirundo-plugin-start").start(task);
        try {
            task.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            end(thread, bundle);
            throw new UnusablePluginException(
                    what + " has not returned within " + limit.toSeconds() + " s; -D" + LIMIT
                            + "=N in HIRUNDO_JAVA_OPTS allows more",
                    late);
        } catch (InterruptedException e) {
            end(thread, bundle);
            Thread.currentThread().interrupt();
            throw new UnusablePluginException("its start was interrupted", e);
        }
    }

    private void end(Thread thread, Bundle bundle) {
        thread.interrupt();
        join(thread);
        if (thread.isAlive()) {
            unreturned.put(bundle, thread);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join(AFTER_INTERRUPT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
