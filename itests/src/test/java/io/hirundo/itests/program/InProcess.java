package io.hirundo.itests.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.apache.felix.framework.FrameworkFactory;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.wiring.BundleRevision;

/**
 * The built program's command line in a framework of this process: hundreds of commands in the time in which a few processes
 * start. Standard output and error of this process are those of the command while it runs, so one command runs at a time.
 */
public final class InProcess implements AutoCloseable {
    /** Whatever takes longer waits for something that never comes. */
    public static final Duration LIMIT = Duration.ofSeconds(Long.getLong("hirundo.zoo.limitSeconds", 60));

    private static final long STOP_MILLIS = 10_000;

    private static InProcess shared;

    private final Framework framework;
    private final ToIntFunction<String[]> main;
    private final Path folder;
    private final Path home;

    private InProcess(Framework framework, ToIntFunction<String[]> main, Path folder, Path home) {
        this.framework = framework;
        this.main = main;
        this.folder = folder;
        this.home = home;
    }

    /**
     * Runs a command in a framework that the test classes of this process share, for tests of which a process of the program's own is not
     * the subject: its start takes one to two CPU seconds. Paths must be absolute. The framework ends with this process.
     */
    public static Program.Result command(String... arguments) throws Exception {
        return commandWithin(Program.LIMIT, arguments);
    }

    /** As {@link #command}, for one that takes seconds unless it waits for something that never comes. */
    public static Program.Result commandWithin(Duration limit, String... arguments) throws Exception {
        return shared().run(limit, List.of(arguments)).orElseThrow(() -> new AssertionError("no end within " + limit));
    }

    /** As {@link #command}, for a training that is stopped as soon as a condition holds. */
    public static Program.Result commandUntil(Callable<Boolean> condition, String... arguments) throws Exception {
        return shared().runUntil(condition, List.of(arguments));
    }

    /** The framework of {@link #command}, for tests that need more of it. */
    public static synchronized InProcess shared() throws Exception {
        if (shared == null) {
            Path folder = Files.createTempDirectory("hirundo-in-process");
            InProcess started = start(folder);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(started)));
            shared = started;
        }
        return shared;
    }

    /** The next command that shares a framework starts a new one: in this one a command still runs. */
    private static synchronized void abandon(InProcess busy) {
        if (shared == busy) {
            shared = null;
        }
    }

    private static void end(InProcess ended) {
        try {
            ended.close();
            List<Path> files;
            try (Stream<Path> all = Files.walk(ended.folder)) {
                files = all.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path file : files) {
                Files.delete(file);
            }
        } catch (Exception e) {
            throw new IllegalStateException("cannot remove " + ended.folder, e);
        }
    }

    /** Starts the bundles of the profile {@code cpu}; the framework and the commands keep their files in the folder. */
    public static InProcess start(Path folder) throws Exception {
        return start(folder, Profiles.distro(), "cpu");
    }

    /** As {@link #start(Path)}, for commands that take the folder {@code home} for the distro, with the bundles of a profile and its plugins. */
    public static InProcess start(Path folder, Path home, String profile) throws Exception {
        setProperties(folder, home);
        Framework framework = new FrameworkFactory()
                .newFramework(Map.of(
                        Constants.FRAMEWORK_STORAGE,
                        folder.resolve("framework").toString(),
                        "ds.loglevel",
                        "0",
                        // A fuzzer's marks in the bundles' classes; without one nobody asks for it.
                        Constants.FRAMEWORK_BOOTDELEGATION,
                        "com.code_intelligence.jazzer.*"));
        framework.start();
        List<Bundle> plugins = new ArrayList<>();
        for (Path jar : Profiles.bundles(profile)) {
            framework.getBundleContext().installBundle(jar.toUri().toString());
        }
        for (Path jar : jars(home.resolve("plugins"))) {
            plugins.add(framework.getBundleContext().installBundle(jar.toUri().toString()));
        }
        for (Bundle bundle : framework.getBundleContext().getBundles()) {
            if (!plugins.contains(bundle)
                    && (bundle.adapt(BundleRevision.class).getTypes() & BundleRevision.TYPE_FRAGMENT) == 0) {
                bundle.start(Bundle.START_ACTIVATION_POLICY);
            }
        }
        startPlugins(plugins, framework.getBundleContext());
        return new InProcess(framework, commandLine(framework.getBundleContext()), folder, home);
    }

    private static List<Path> jars(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList();
        }
    }

    /** As the launcher does: with the service that starts them and returns the reason for each one that cannot be used. */
    private static void startPlugins(List<Bundle> plugins, BundleContext context) throws InvalidSyntaxException {
        @SuppressWarnings("unchecked") // the type that the property promises
        var starter = (Function<Collection<Bundle>, Map<Bundle, String>>)
                service(context, Function.class, "(hirundo.plugins=true)");
        assertEquals(Map.of(), starter.apply(plugins));
    }

    /** Of the process: other frameworks of it, before and after, have others. */
    private static void setProperties(Path folder, Path home) {
        System.setProperty("hirundo.home", home.toString());
        System.setProperty("hirundo.program", "hirundo");
        System.setProperty("hirundo.cache", folder.resolve("cache").toString());
    }

    @SuppressWarnings("unchecked") // the type that the property promises
    private static ToIntFunction<String[]> commandLine(BundleContext context) throws InvalidSyntaxException {
        return (ToIntFunction<String[]>) service(context, ToIntFunction.class, "(hirundo.main=true)");
    }

    /** Of all services: the test's class path has another copy of {@code api}, and with it this service would count as incompatible. */
    private static Object service(BundleContext context, Class<?> type, String filter) throws InvalidSyntaxException {
        return context.getService(context.getAllServiceReferences(type.getName(), filter)[0]);
    }

    /** Runs a command as the launcher does. Nothing if it did not end in time: its thread is left behind then. */
    public Optional<Program.Result> run(Duration limit, List<String> arguments) throws Exception {
        try {
            return Optional.of(run(arguments, task -> task.get(limit.toSeconds(), TimeUnit.SECONDS)));
        } catch (TimeoutException e) {
            return Optional.empty();
        }
    }

    private Program.Result runUntil(Callable<Boolean> condition, List<String> arguments) throws Exception {
        Class<?> control = loadClass("io.hirundo.api", "io.hirundo.train.RunControl");
        return run(arguments, new TrainingUntil(condition, framework.getBundleContext(), control)::await);
    }

    /** Waits for the end of a command; returns its exit code. */
    private interface End {
        int await(FutureTask<Integer> task) throws Exception;
    }

    private Program.Result run(List<String> arguments, End end) throws Exception {
        setProperties(folder, home);
        PrintStream out = System.out;
        PrintStream err = System.err;
        var said = new ByteArrayOutputStream();
        var complained = new ByteArrayOutputStream();
        var task = new FutureTask<>(() -> main.applyAsInt(arguments.toArray(String[]::new)));
        var warnings = new Warnings(new PrintStream(complained, true, StandardCharsets.UTF_8));
        warnings.replaceConsole();
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(complained, true, StandardCharsets.UTF_8));
        try {
            Thread.ofPlatform().daemon().name("command").start(task);
            int exitCode = end.await(task);
            return new Program.Result(
                    exitCode, said.toString(StandardCharsets.UTF_8), complained.toString(StandardCharsets.UTF_8));
        } catch (ExecutionException e) {
            throw new AssertionError("the command line threw", e.getCause());
        } finally {
            Logger.getLogger("").removeHandler(warnings);
            System.setOut(out);
            System.setErr(err);
            if (!task.isDone()) {
                abandon(this);
            }
        }
    }

    /** A class of one of the bundles, private ones too. */
    public Class<?> loadClass(String bundle, String name) throws ClassNotFoundException {
        for (Bundle each : framework.getBundleContext().getBundles()) {
            if (bundle.equals(each.getSymbolicName())) {
                return each.loadClass(name);
            }
        }
        throw new IllegalArgumentException("there is no bundle " + bundle);
    }

    @Override
    public void close() throws Exception {
        framework.stop();
        framework.waitForStop(STOP_MILLIS);
    }
}
