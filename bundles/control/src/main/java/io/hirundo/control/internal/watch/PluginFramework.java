package io.hirundo.control.internal.watch;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.ServiceRegistration;
import org.osgi.framework.hooks.bundle.CollisionHook;
import org.osgi.framework.wiring.BundleRevision;
import org.osgi.framework.wiring.FrameworkWiring;

/** What the framework does with the jars of a folder: install, try, replace, take away. Each call is whole or leaves nothing. */
final class PluginFramework {
  private static final long REFRESH_SECONDS = 60;
  private static final String STRATEGY_KIND = "hirundo.kind";

  private final BundleContext context;

  PluginFramework(BundleContext context) {
    this.context = context;
  }

  /** The bundle that a file was installed from, by this class or by the launcher. */
  Optional<Bundle> find(Path jar) {
    return Arrays.stream(context.getBundles()).filter(bundle -> jar.equals(fileOf(bundle))).findFirst();
  }

  private static Path fileOf(Bundle bundle) {
    try {
      URI location = URI.create(bundle.getLocation());
      return "file".equals(location.getScheme()) ? Path.of(location) : null;
    } catch (IllegalArgumentException notAFile) {
      return null;
    }
  }

  Bundle install(Path jar) throws RefusedPluginException {
    Bundle bundle = installAt(jar.toUri().toString(), jar);
    try {
      start(bundle);
      return bundle;
    } catch (RefusedPluginException refusal) {
      uninstall(bundle);
      throw refusal;
    }
  }

  /** Whether a jar would resolve, found out on a copy, while the bundle that it is to replace goes on working. */
  void tryOut(Path jar) throws RefusedPluginException {
    // Two bundles of one name and version are a mistake everywhere but here.
    CollisionHook allow = (_, _, candidates) -> candidates.clear();
    ServiceRegistration<CollisionHook> hook = context.registerService(CollisionHook.class, allow, null);
    Bundle copy = null;
    try {
      copy = installAt("try:" + jar.toUri(), jar);
      if (!wiring().resolveBundles(List.of(copy))) {
        copy.start(Bundle.START_TRANSIENT | Bundle.START_ACTIVATION_POLICY);
      }
    } catch (BundleException failure) {
      throw RefusedPluginException.because(failure);
    } finally {
      if (copy != null) {
        uninstall(copy);
      }
      hook.unregister();
    }
  }

  private Bundle installAt(String location, Path jar) throws RefusedPluginException {
    try (InputStream in = Files.newInputStream(jar)) {
      Bundle bundle = context.installBundle(location, in);
      if (bundle.getSymbolicName() == null) {
        uninstall(bundle);
        throw new RefusedPluginException("it is no OSGi bundle: its manifest has no " + Constants.BUNDLE_SYMBOLICNAME, null);
      }
      return bundle;
    } catch (IOException | BundleException failure) {
      throw RefusedPluginException.because(failure);
    }
  }

  /** Gives a bundle other content, and starts it. Waits until those who use it have let it go. */
  void replace(Bundle bundle, Path jar) throws RefusedPluginException {
    try (InputStream in = Files.newInputStream(jar)) {
      bundle.stop(Bundle.STOP_TRANSIENT);
      bundle.update(in);
    } catch (IOException | BundleException failure) {
      throw RefusedPluginException.because(failure);
    }
    refresh(bundle);
    start(bundle);
  }

  private void start(Bundle bundle) throws RefusedPluginException {
    if ((bundle.adapt(BundleRevision.class).getTypes() & BundleRevision.TYPE_FRAGMENT) != 0) {
      return;
    }
    try {
      bundle.start(Bundle.START_ACTIVATION_POLICY);
    } catch (BundleException failure) {
      throw RefusedPluginException.because(failure);
    }
    Optional<String> missing = strategyThatIsNotMade(bundle);
    new ComponentFailures(context).refuseAny(bundle);
    if (missing.isPresent()) {
      throw new RefusedPluginException("its " + missing.get() + " cannot be activated", null);
    }
  }

  /** A component is made when it is first asked for; one that cannot be made is better found now than by the run. */
  private Optional<String> strategyThatIsNotMade(Bundle bundle) {
    ServiceReference<?>[] offered = bundle.getRegisteredServices();
    for (ServiceReference<?> reference : offered == null ? new ServiceReference<?>[0] : offered) {
      if (reference.getProperty(STRATEGY_KIND) == null) {
        continue;
      }
      if (context.getService(reference) == null) {
        return Optional.of(reference.getProperty(STRATEGY_KIND) + " " + reference.getProperty("hirundo.name"));
      }
      context.ungetService(reference);
    }
    return Optional.empty();
  }

  void uninstall(Bundle bundle) {
    try {
      bundle.uninstall();
    } catch (BundleException failure) {
      throw new IllegalStateException("cannot uninstall " + bundle, failure);
    }
    refresh(bundle);
  }

  /** Lets go of the classes of what the bundle was. */
  private void refresh(Bundle bundle) {
    var done = new CountDownLatch(1);
    wiring().refreshBundles(List.of(bundle), _ -> done.countDown());
    try {
      done.await(REFRESH_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private FrameworkWiring wiring() {
    return context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION).adapt(FrameworkWiring.class);
  }
}
