package io.hirundo.control.internal.watch;

import io.hirundo.Reason;
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
import java.util.function.Function;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceRegistration;
import org.osgi.framework.hooks.bundle.CollisionHook;
import org.osgi.framework.wiring.FrameworkWiring;

/**
 * Framework operations on the jars of a folder: install, check, replace, uninstall. Each call completes or leaves nothing
 * behind.
 */
final class PluginFramework {
    private final BundleContext context;
    private final Duration patience;
    private final PluginStarter starter;

    /** Bundles to uninstall when their activators return. */
    private final Set<Bundle> ending = new HashSet<>();

    /**
     * Works in a framework.
     *
     * @param patience how long to wait for other bundles to release a bundle's classes, which they may never do
     * @param starter of bundles
     */
    PluginFramework(BundleContext context, Duration patience, PluginStarter starter) {
        this.context = context;
        this.patience = patience;
        this.starter = starter;
    }

    /** The bundle that a file was installed from, by this class or by the launcher. */
    Optional<Bundle> find(Path jar) {
        return Arrays.stream(context.getBundles())
                .filter(bundle -> jar.equals(fileOf(bundle)))
                .findFirst();
    }

    /**
     * Checks that nobody else can replace the code, as the launcher does before the start.
     *
     * @throws RejectedPluginException naming what others can write to
     */
    void requireTrusted(Path jar) throws RejectedPluginException {
        Optional<String> distrust = distrust(jar);
        if (distrust.isPresent()) {
            throw new RejectedPluginException(distrust.get(), null);
        }
    }

    /** Why others could replace a jar's code, as the launcher's service says; empty in a framework that another program started. */
    @SuppressWarnings("unchecked") // the type that the property promises
    Optional<String> distrust(Path jar) {
        try {
            return context.getServiceReferences(Function.class, "(hirundo.trust=true)").stream()
                    .findFirst()
                    .map(context::getService)
                    .map(trust -> ((Function<Path, String>) trust).apply(jar));
        } catch (InvalidSyntaxException e) {
            throw new IllegalArgumentException(e);
        }
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
     * Installs all, then starts them, because each may need another.
     *
     * @return the reasons of those that failed; the others are installed
     */
    Map<Path, RejectedPluginException> install(List<Path> jars) {
        Map<Path, Bundle> installed = new LinkedHashMap<>();
        Map<Path, RejectedPluginException> rejected = new HashMap<>();
        for (Path jar : jars) {
            try {
                installed.put(jar, installAt(jar.toUri().toString(), jar));
            } catch (RejectedPluginException rejection) {
                rejected.put(jar, rejection);
            }
        }
        // A bundle that needs a failed one is stopped with it: check the rest again.
        int before;
        do {
            before = rejected.size();
            installed.forEach(
                    (jar, bundle) -> startOrUninstall(bundle).ifPresent(rejection -> rejected.put(jar, rejection)));
            installed.keySet().removeAll(rejected.keySet());
        } while (rejected.size() > before);
        return rejected;
    }

    private Optional<RejectedPluginException> startOrUninstall(Bundle bundle) {
        try {
            start(bundle);
            return Optional.empty();
        } catch (RejectedPluginException rejection) {
            uninstall(bundle);
            return Optional.of(rejection);
        }
    }

    /** Checks on a copy whether a jar resolves, while the bundle that it is to replace keeps running. */
    void tryOut(Path jar) throws RejectedPluginException {
        // The copy has the same name and version as the running bundle, which the framework otherwise rejects.
        CollisionHook allow = (_, _, candidates) -> candidates.clear();
        ServiceRegistration<CollisionHook> hook = context.registerService(CollisionHook.class, allow, null);
        Bundle copy = null;
        try {
            copy = installAt("try:" + jar.toUri(), jar);
            if (!wiring().resolveBundles(List.of(copy))) {
                copy.start(Bundle.START_TRANSIENT | Bundle.START_ACTIVATION_POLICY);
            }
        } catch (BundleException failure) {
            throw RejectedPluginException.because(failure);
        } finally {
            if (copy != null) {
                uninstall(copy);
            }
            hook.unregister();
        }
    }

    private Bundle installAt(String location, Path jar) throws RejectedPluginException {
        // Opening a named pipe would block until somebody writes to it.
        if (!Files.isRegularFile(jar)) {
            throw new RejectedPluginException("it is not a regular file: remove it, or copy the jar again", null);
        }
        try (var _ = new ZipFile(jar.toFile());
                InputStream in = Files.newInputStream(jar)) {
            Bundle bundle = context.installBundle(location, in);
            if (bundle.getSymbolicName() == null) {
                uninstall(bundle);
                throw new RejectedPluginException(
                        "it is not an OSGi bundle: its manifest has no " + Constants.BUNDLE_SYMBOLICNAME, null);
            }
            return bundle;
        } catch (ZipException damaged) {
            throw new RejectedPluginException(
                    "it is not a jar (" + Reason.of(damaged) + "): remove it or copy it again", damaged);
        } catch (IOException | BundleException failure) {
            throw RejectedPluginException.because(failure);
        }
    }

    /**
     * Replaces a bundle's content, and starts it after the users of the old content have released it.
     *
     * @return false if they did not in time: the bundle has the new content and is stopped
     * @throws RejectedPluginException if the new content fails; the bundle is stopped
     */
    boolean replace(Bundle bundle, Path jar) throws RejectedPluginException {
        if (starter.hangs(bundle)) {
            throw new RejectedPluginException(
                    "the start of " + bundle.getSymbolicName()
                            + " has not returned; it stays installed until the run ends",
                    null);
        }
        try (InputStream in = Files.newInputStream(jar)) {
            bundle.stop(Bundle.STOP_TRANSIENT);
            bundle.update(in);
        } catch (IOException | BundleException failure) {
            throw RejectedPluginException.because(failure);
        }
        if (!refresh(bundle)) {
            return false;
        }
        try {
            start(bundle);
        } catch (RejectedPluginException rejection) {
            if (!starter.hangs(bundle)) {
                stop(bundle, rejection);
            }
            throw rejection;
        }
        return true;
    }

    private static void stop(Bundle bundle, RejectedPluginException because) {
        try {
            bundle.stop(Bundle.STOP_TRANSIENT);
        } catch (BundleException failure) {
            // The bundle is stopped anyway; keep what its activator threw as an additional cause.
            because.addSuppressed(failure);
        }
    }

    private void start(Bundle bundle) throws RejectedPluginException {
        try {
            starter.start(bundle);
            starter.check(bundle);
        } catch (BundleException failure) {
            throw RejectedPluginException.because(failure);
        } catch (UnusablePluginException failure) {
            throw new RejectedPluginException(Reason.of(failure), failure);
        }
    }

    /**
     * Uninstalls a bundle. Returns whether its users released its classes; it is uninstalled in either case. One whose activator
     * has not returned is uninstalled when it does.
     */
    boolean uninstall(Bundle bundle) {
        if (starter.hangs(bundle)) {
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

    /** Releases the classes of the old content; false if that takes too long. */
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
