package io.hirundo.lib.plugin;

import io.hirundo.ConfigurationException;
import java.time.Duration;
import java.util.concurrent.Callable;
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
 * Starts plugins. Their code runs on threads of its own: what does not return within the limit is interrupted, and left
 * alone if it does not heed that.
 */
public final class PluginStarter {
  private static final String LIMIT = "hirundo.start.seconds";
  private static final String DEFAULT_SECONDS = "30";

  /** What is interrupted needs a moment to end. */
  private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(1);

  private final BundleContext context;
  private final Function<Bundle, Duration> limits;

  /**
   * With the limit that the framework's or system's property {@code hirundo.start.seconds} sets.
   *
   * @throws ConfigurationException if it is no positive number
   */
  public PluginStarter(BundleContext context) {
    Duration limit = limit(context);
    this(context, _ -> limit);
  }

  /** With limits of time for a plugin's start, and for the check of its components. */
  public PluginStarter(BundleContext context, Function<Bundle, Duration> limits) {
    this.context = context;
    this.limits = limits;
  }

  private static Duration limit(BundleContext context) {
    String told = context.getProperty(LIMIT);
    String seconds = told == null ? DEFAULT_SECONDS : told;
    if (!seconds.matches("[1-9][0-9]{0,5}")) {
      throw new ConfigurationException(LIMIT + ": '" + seconds + "' is wrong (allowed: whole seconds from 1 to 999999)");
    }
    return Duration.ofSeconds(Long.parseLong(seconds));
  }

  /**
   * Starts a bundle; a fragment has nothing to start.
   *
   * @throws BundleException if it does not resolve, or its activator throws
   * @throws UnusablePluginException if it does not start within the limit; unless it heeds interrupts, it {@link #hangs}
   */
  public void start(Bundle bundle) throws BundleException, UnusablePluginException {
    if ((bundle.adapt(BundleRevision.class).getTypes() & BundleRevision.TYPE_FRAGMENT) != 0) {
      return;
    }
    String activator = bundle.getHeaders("").get(Constants.BUNDLE_ACTIVATOR);
    try {
      within(
          limits.apply(bundle),
          activator == null ? "one of its components" : "its activator " + activator,
          () -> {
            bundle.start(Bundle.START_ACTIVATION_POLICY);
            return null;
          });
    } catch (ExecutionException failure) {
      if (failure.getCause() instanceof BundleException refused) {
        if (activator != null && refused.getCause() instanceof ClassNotFoundException) {
          throw new UnusablePluginException("its activator " + activator + " is not in it", refused);
        }
        throw refused;
      }
      throw unexpected(failure);
    }
  }

  /**
   * Checks the components of a bundle that has started, and makes each strategy that it offers once: a component is made when
   * it is first asked for, and one that cannot be made is better found now than by a run.
   *
   * @throws UnusablePluginException naming the first that cannot serve, and why
   */
  public void check(Bundle bundle) throws UnusablePluginException {
    try {
      within(
          limits.apply(bundle),
          "one of its components",
          () -> {
            new ComponentDescriptions(bundle).check();
            new ComponentRuntime(context, bundle).check();
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
   * Whether a bundle's activator has not returned, maybe never will. To stop, update or uninstall the bundle would wait for it.
   * One that waits for the first use of its classes is none of these.
   */
  public static boolean hangs(Bundle bundle) {
    return bundle.getState() == Bundle.STARTING && bundle.getHeaders("").get(Constants.BUNDLE_ACTIVATIONPOLICY) == null;
  }

  /** A plugin throws what it likes. */
  private static UnusablePluginException unexpected(ExecutionException failure) {
    return new UnusablePluginException("it failed with " + failure.getCause(), failure.getCause());
  }

  private static void within(Duration limit, String what, Callable<Void> work) throws ExecutionException, UnusablePluginException {
    FutureTask<Void> task = new FutureTask<>(work);
    Thread thread = Thread.ofPlatform().daemon().name("hirundo-plugin-start").start(task);
    try {
      task.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      thread.interrupt();
      join(thread);
      throw new UnusablePluginException(
          what + " has not returned within " + limit.toSeconds() + " s; -D" + LIMIT + "=N in HIRUNDO_JAVA_OPTS allows more", late);
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
      throw new UnusablePluginException("its start was interrupted", e);
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
