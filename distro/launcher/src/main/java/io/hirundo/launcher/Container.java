package io.hirundo.launcher;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;
import org.osgi.framework.startlevel.BundleStartLevel;
import org.osgi.framework.wiring.BundleRevision;
import org.osgi.framework.wiring.FrameworkWiring;

/** A running OSGi framework with a profile's bundles, all of them started. */
final class Container implements AutoCloseable {
    private static final long STOP_MILLIS = TimeUnit.SECONDS.toMillis(10);

    /** Time limit for stopping: an activator that does not return blocks the framework's stop. */
    private static final long STOP_MILLIS_WITHOUT_HOPE = TimeUnit.SECONDS.toMillis(1);

    /** How often the start checks for a signal. */
    private static final long SIGNAL_MILLIS = 50;

    private final Framework framework;

    private Container(Framework framework) {
        this.framework = framework;
    }

    /**
     * Installs all bundles, and starts them if every one resolves.
     *
     * @param everyPlugin whether a plugin that fails ends the start; else it is skipped, with a line on standard error
     * @param interrupted whether to abort the start
     * @throws LaunchException naming each bundle that does not resolve and its missing requirements; nothing is started then
     */
    static Container start(Path home, Profile profile, Path storage, boolean everyPlugin, BooleanSupplier interrupted)
            throws LaunchException {
        FrameworkFactory factory = ServiceLoader.load(FrameworkFactory.class)
                .findFirst()
                .orElseThrow(() -> new LaunchException("no OSGi framework on the class path"));
        Framework framework = factory.newFramework(FrameworkSettings.properties(home, storage));
        Container container = new Container(framework);
        try {
            framework.start();
            Function<Path, String> trust = Plugins::distrust;
            framework
                    .getBundleContext()
                    .registerService(Function.class, trust, FrameworkUtil.asDictionary(Map.of("hirundo.trust", true)));
            Map<Path, Bundle> own = container.install(profile.jars());
            var plugins = new Plugins(framework.getBundleContext(), everyPlugin);
            plugins.install(profile.plugins());
            container.resolve(own, plugins);
            plugins.tell();
            for (Bundle bundle : own.values()) {
                if (interrupted.getAsBoolean()) {
                    throw LaunchException.interrupted();
                }
                start(bundle);
            }
            if (!plugins.bundles().isEmpty()) {
                startPlugins(plugins, container.pluginStarter(), interrupted);
                plugins.tell();
            }
            return container;
        } catch (BundleException e) {
            container.close();
            throw new LaunchException("the OSGi framework did not start: " + e.getMessage(), e);
        } catch (LaunchException e) {
            container.close();
            throw e;
        }
    }

    /** Runs on a thread of its own: an activator may use up its time limit, and a signal must not wait for it. */
    private static void startPlugins(
            Plugins plugins, Function<Collection<Bundle>, Map<Bundle, String>> starter, BooleanSupplier interrupted)
            throws LaunchException {
        FutureTask<Void> start = new FutureTask<>(() -> {
            plugins.start(starter);
            return null;
        });
        Thread.ofPlatform().daemon().name("hirundo-plugins").start(start);
        while (!interrupted.getAsBoolean()) {
            try {
                start.get(SIGNAL_MILLIS, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException starting) {
                // Check for a signal.
            } catch (ExecutionException failure) {
                throw unwrapped(failure);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw LaunchException.interrupted();
            }
        }
        throw LaunchException.interrupted();
    }

    private static LaunchException unwrapped(ExecutionException failure) {
        return switch (failure.getCause()) {
            case LaunchException launch -> launch;
            case RuntimeException defect -> throw defect;
            case Error error -> throw error;
            default -> new LaunchException("plugins cannot be started: " + failure.getCause(), failure);
        };
    }

    @SuppressWarnings("unchecked") // the type that the property promises
    private Function<Collection<Bundle>, Map<Bundle, String>> pluginStarter() throws LaunchException {
        return service(Function.class, "(hirundo.plugins=true)")
                .orElseThrow(
                        () -> new LaunchException("no bundle of this profile starts plugins; io.hirundo.cli does"));
    }

    /** The highest-ranked service of that type and property; empty while the framework closes. */
    <T> Optional<T> service(Class<T> type, String filter) {
        BundleContext context = framework.getBundleContext();
        if (context == null) {
            return Optional.empty();
        }
        try {
            Collection<ServiceReference<T>> references = context.getServiceReferences(type, filter);
            return references.stream().max(ServiceReference::compareTo).map(context::getService);
        } catch (InvalidSyntaxException e) {
            throw new IllegalArgumentException(e);
        } catch (IllegalStateException stoppedMeanwhile) {
            return Optional.empty();
        }
    }

    private Map<Path, Bundle> install(List<Path> jars) throws LaunchException {
        Map<Path, Bundle> bundles = new LinkedHashMap<>();
        for (Path jar : jars) {
            try {
                bundles.put(
                        jar,
                        framework.getBundleContext().installBundle(jar.toUri().toString()));
            } catch (BundleException e) {
                throw new LaunchException("bundle " + jar + " cannot be installed: " + reason(e) + remedy(e), e);
            }
        }
        return bundles;
    }

    /** The framework unpacks bundles into this process's temporary folder; a jar that cannot be read fails with another exception. */
    private static String remedy(BundleException failure) {
        if (String.valueOf(failure.getCause()).contains("Too many open files")) {
            return "; allow the process more open files: ulimit -n 1024";
        }
        return failure.getCause() instanceof IOException
                ? "; make room in the folder for temporary files, set TMPDIR to another, or install Hirundo again"
                : "";
    }

    /** Appends the cause: only it names a full disk, a damaged jar, or what a bundle threw. */
    static String reason(BundleException failure) {
        Throwable cause = failure.getCause();
        return cause == null ? failure.getMessage() : failure.getMessage() + ": " + Printed.reason(cause);
    }

    /** Resolves all at once, because bundles may need each other. */
    private void resolve(Map<Path, Bundle> own, Plugins plugins) throws LaunchException {
        FrameworkWiring wiring = framework.adapt(FrameworkWiring.class);
        List<Bundle> all = new ArrayList<>(own.values());
        all.addAll(plugins.bundles());
        if (wiring.resolveBundles(all)) {
            return;
        }
        List<String> unresolved = MissingRequirement.lines(own, wiring);
        if (!unresolved.isEmpty()) {
            throw LaunchException.of(unresolved);
        }
        plugins.leaveOutUnresolved(wiring);
    }

    private static void start(Bundle bundle) throws LaunchException {
        if (isFragment(bundle)) {
            return;
        }
        if (FrameworkSettings.isOnlyForTraining(bundle.getSymbolicName())) {
            bundle.adapt(BundleStartLevel.class).setStartLevel(FrameworkSettings.TRAINING_LEVEL);
        }
        try {
            bundle.start(Bundle.START_ACTIVATION_POLICY);
        } catch (BundleException e) {
            throw new LaunchException("bundle " + bundle.getSymbolicName() + " did not start: " + reason(e), e);
        }
    }

    private static boolean isFragment(Bundle bundle) {
        return (bundle.adapt(BundleRevision.class).getTypes() & BundleRevision.TYPE_FRAGMENT) != 0;
    }

    private boolean isAnyStarting() {
        BundleContext context = framework.getBundleContext();
        // A bundle with lazy activation that waits for its first use also counts as starting.
        return context != null
                && Arrays.stream(context.getBundles())
                        .anyMatch(bundle -> bundle.getState() == Bundle.STARTING
                                && bundle.getHeaders("").get(Constants.BUNDLE_ACTIVATIONPOLICY) == null);
    }

    /** Stops every bundle and waits. */
    @Override
    public void close() {
        try {
            boolean hangs = isAnyStarting();
            framework.stop();
            framework.waitForStop(hangs ? STOP_MILLIS_WITHOUT_HOPE : STOP_MILLIS);
        } catch (BundleException e) {
            System.err.println("hirundo: the OSGi framework did not stop: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
