package io.hirundo.control.internal.watch;

import io.hirundo.lib.plugin.PluginStarter;
import io.hirundo.lib.plugin.UnusablePluginException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceRegistration;
import org.osgi.framework.hooks.bundle.CollisionHook;
import org.osgi.framework.wiring.FrameworkWiring;

/**
 * What the framework does with the jars of a folder: install, try, replace, take away. Each call is whole or leaves
 * nothing.
 */
final class PluginFramework {
  private final BundleContext context;
  private final Duration patience;
  private final PluginStarter starter;

  /** Those that go when their activators return. */
  private final Set<Bundle> ending = new HashSet<>();

  /**
   * Works in a framework.
   *
   * @param patience for those that use a bundle's classes to let go of them; they are other bundles, which may not
   * @param starter of bundles
   */
  PluginFramework(BundleContext context, Duration patience, PluginStarter starter) {
    this.context = context;
    this.patience = patience;
    this.starter = starter;
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

  /**
   * Installs all, then starts them: each may need another.
   *
   * @return why, of those that cannot serve; of the others there is a bundle now
   */
  Map<Path, RefusedPluginException> install(List<Path> jars) {
    Map<Path, Bundle> installed = new LinkedHashMap<>();
    Map<Path, RefusedPluginException> refused = new HashMap<>();
    for (Path jar : jars) {
      try {
        installed.put(jar, installAt(jar.toUri().toString(), jar));
      } catch (RefusedPluginException refusal) {
        refused.put(jar, refusal);
      }
    }
    // Whoever needs one that cannot be started is stopped with it, and so is looked at once more.
    int before;
    do {
      before = refused.size();
      installed.forEach((jar, bundle) -> startOrUninstall(bundle).ifPresent(refusal -> refused.put(jar, refusal)));
      installed.keySet().removeAll(refused.keySet());
    } while (refused.size() > before);
    return refused;
  }

  private Optional<RefusedPluginException> startOrUninstall(Bundle bundle) {
    try {
      start(bundle);
      return Optional.empty();
    } catch (RefusedPluginException refusal) {
      uninstall(bundle);
      return Optional.of(refusal);
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
    // To open a named pipe would wait for whoever writes to it.
    if (!Files.isRegularFile(jar)) {
      throw new RefusedPluginException("it is no file: remove it, or copy the jar again", null);
    }
    try (var _ = new ZipFile(jar.toFile());
        InputStream in = Files.newInputStream(jar)) {
      Bundle bundle = context.installBundle(location, in);
      if (bundle.getSymbolicName() == null) {
        uninstall(bundle);
        throw new RefusedPluginException(
            "it is no OSGi bundle: its manifest has no " + Constants.BUNDLE_SYMBOLICNAME, null);
      }
      return bundle;
    } catch (ZipException damaged) {
      throw new RefusedPluginException(
          "it is not a jar (" + damaged.getMessage() + "): remove it or copy it again", damaged);
    } catch (IOException | BundleException failure) {
      throw RefusedPluginException.because(failure);
    }
  }

  /**
   * Gives a bundle other content, and starts it when those who use the old one have let go of it.
   *
   * @return false if they have not in time: the bundle has its new content then, and is stopped
   * @throws RefusedPluginException if the content cannot serve; the bundle is stopped
   */
  boolean replace(Bundle bundle, Path jar) throws RefusedPluginException {
    if (PluginStarter.hangs(bundle)) {
      throw new RefusedPluginException("the start of " + bundle.getSymbolicName() + " has not returned; it stays until the run ends", null);
    }
    try (InputStream in = Files.newInputStream(jar)) {
      bundle.stop(Bundle.STOP_TRANSIENT);
      bundle.update(in);
    } catch (IOException | BundleException failure) {
      throw RefusedPluginException.because(failure);
    }
    if (!refresh(bundle)) {
      return false;
    }
    try {
      start(bundle);
    } catch (RefusedPluginException refusal) {
      if (!PluginStarter.hangs(bundle)) {
        stop(bundle, refusal);
      }
      throw refusal;
    }
    return true;
  }

  private static void stop(Bundle bundle, RefusedPluginException because) {
    try {
      bundle.stop(Bundle.STOP_TRANSIENT);
    } catch (BundleException failure) {
      // It is stopped all the same; what its activator threw on the way adds to why.
      because.addSuppressed(failure);
    }
  }

  private void start(Bundle bundle) throws RefusedPluginException {
    try {
      starter.start(bundle);
      starter.check(bundle);
    } catch (BundleException failure) {
      throw RefusedPluginException.because(failure);
    } catch (UnusablePluginException failure) {
      throw new RefusedPluginException(failure.getMessage(), failure);
    }
  }

  /**
   * Returns whether those who use the bundle have let go of its classes; it is gone even if they have not. One whose
   * activator has not returned goes when it does.
   */
  boolean uninstall(Bundle bundle) {
    if (PluginStarter.hangs(bundle)) {
      if (ending.add(bundle)) {
        Thread.ofPlatform().daemon().name("hirundo-plugin-end").start(() -> uninstallNow(bundle));
      }
      return false;
    }
    return uninstallNow(bundle);
  }

  private boolean uninstallNow(Bundle bundle) {
    try {
      bundle.uninstall();
    } catch (BundleException failure) {
      throw new IllegalStateException("cannot uninstall " + bundle, failure);
    }
    return refresh(bundle);
  }

  /** Lets go of the classes of what the bundle was; false if that is still under way. */
  private boolean refresh(Bundle bundle) {
    var done = new CountDownLatch(1);
    wiring().refreshBundles(List.of(bundle), _ -> done.countDown());
    try {
      return done.await(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private FrameworkWiring wiring() {
    return context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION).adapt(FrameworkWiring.class);
  }
}
