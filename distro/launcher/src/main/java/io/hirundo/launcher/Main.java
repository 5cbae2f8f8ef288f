package io.hirundo.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * {@code hirundo [--profile NAME] COMMAND ...}: starts the framework, runs the command line in it, exits with its exit code.
 *
 * <p>Reads system properties: {@code hirundo.home}, the folder of the distribution (required); {@code hirundo.profile}, the default
 * profile. Sets {@code hirundo.profiles}, the names of the installed profiles, for the help; {@code hirundo.profile.chosen}, the profile
 * named by the arguments, for printed commands; and {@code hirundo.temporary}, a folder for this user alone, which is removed when the
 * process ends.
 *
 * <p>It looks up services of JDK types in the framework, because only JDK classes are visible from both sides:
 * <ul>
 * <li>{@code ToIntFunction<String[]>} with {@code hirundo.main=true}: the command line; arguments in, exit code out;
 * <li>{@code Function<Collection<Bundle>, Map<Bundle, String>>} with {@code hirundo.plugins=true}: starts the plugins, and returns
 * the reason for each one that fails;
 * <li>{@code Runnable} with {@code hirundo.interrupt=true}: called when the user wants the command to end.
 * </ul>
 *
 * <p>It offers one: {@code Function<Path, String>} with {@code hirundo.trust=true}, which says why a plugin's jar cannot be trusted; null
 * if it can.
 */
public final class Main {
    private static final String PROFILES = "hirundo.profiles";
    private static final String CHOSEN = "hirundo.profile.chosen";
    private static final String TEMPORARY = "hirundo.temporary";
    private static final String LOGGING_FILE = "java.util.logging.config.file";

    private Main() {}

    /** Starts Hirundo. */
    public static void main(String[] args) {
        // First: before this line a signal ends the JVM with the signal's own exit code.
        Interrupts interrupts = Interrupts.listen();
        int exitCode;
        try {
            exitCode = run(
                    Arguments.parse(List.of(args), System.getProperty("hirundo.profile", "cpu")), home(), interrupts);
        } catch (LaunchException e) {
            if (e.exitCode() != Interrupts.EXIT_CODE) {
                System.err.println(Printed.text("hirundo: " + e.getMessage()));
            }
            exitCode = e.exitCode();
        } catch (IOException e) {
            System.err.println(Printed.text("hirundo: cannot prepare the start: " + Printed.reason(e)));
            exitCode = LaunchException.CONFIGURATION;
        }
        // A command that could not save after an interruption has failed: do not report a clean end.
        if (interrupts.any() && exitCode == 0) {
            exitCode = Interrupts.EXIT_CODE;
        }
        // Exit explicitly: a library's leftover thread must not keep a finished command alive.
        System.exit(exitCode);
    }

    private static Path home() throws LaunchException {
        String home = System.getProperty("hirundo.home");
        if (home == null) {
            throw new LaunchException(
                    "the system property hirundo.home is not set: start Hirundo with its hirundo script");
        }
        return Path.of(home);
    }

    private static int run(Arguments arguments, Path home, Interrupts interrupts) throws IOException, LaunchException {
        Path logging = home.resolve("conf").resolve("logging.properties");
        if (System.getProperty(LOGGING_FILE) == null && Files.isReadable(logging)) {
            System.setProperty(LOGGING_FILE, logging.toString());
        }
        if (arguments.chosen()) {
            System.setProperty(CHOSEN, arguments.profile());
        }
        System.setProperty(PROFILES, String.join(", ", Profile.names(home)));
        Profile profile = Profile.read(home, arguments.profile());
        try (Storage storage = Storage.create()) {
            System.setProperty(TEMPORARY, storage.folder().toString());
            try (Container container =
                    Container.start(home, profile, storage.framework(), arguments.trains(), interrupts::any)) {
                storage.removeLeftovers();
                ToIntFunction<String[]> main = commandLine(container);
                Runnable end = () -> container
                        .service(Runnable.class, "(hirundo.interrupt=true)")
                        .ifPresent(Runnable::run);
                if (!interrupts.commandRuns(end)) {
                    return Interrupts.EXIT_CODE;
                }
                int exitCode = main.applyAsInt(arguments.command().toArray(String[]::new));
                interrupts.commandHasEnded();
                // A closed terminal takes no output, and nobody waits for it.
                if (exitCode == 0 && !interrupts.hungUp()) {
                    StandardOutput.check();
                }
                return exitCode;
            }
        }
    }

    @SuppressWarnings("unchecked") // the type that the property promises
    private static ToIntFunction<String[]> commandLine(Container container) throws LaunchException {
        return container
                .service(ToIntFunction.class, "(hirundo.main=true)")
                .orElseThrow(() ->
                        new LaunchException("no bundle of this profile offers a command line; io.hirundo.cli does"));
    }
}
