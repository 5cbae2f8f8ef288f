package io.hirundo.itests.program;

import static org.ops4j.pax.exam.CoreOptions.bundle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.junit.jupiter.api.Assertions;
import org.junit.platform.commons.JUnitException;
import org.opentest4j.AssertionFailedError;
import org.ops4j.pax.exam.Option;

/** The profiles of the built distro. */
public final class Profiles {
    /** The parts of Jupiter that test classes use inside the framework. */
    private static final List<Class<?>> ASSERTIONS =
            List.of(Assertions.class, JUnitException.class, AssertionFailedError.class, API.class);

    private Profiles() {}

    /** The folder of the built distro. */
    public static Path distro() {
        return Path.of(System.getProperty("hirundo.distro")).normalize();
    }

    /** A copy of it, to drop plugins into. Bundles are links to the distro's, because most of its bytes are theirs. */
    public static Path copyOfDistro(Path copy) throws IOException {
        Files.createDirectories(copy);
        for (String part : List.of("profiles", "repository")) {
            Files.createSymbolicLink(copy.resolve(part), distro().resolve(part));
        }
        for (String part : List.of("bin", "conf", "plugins")) {
            Files.createDirectory(copy.resolve(part));
            try (Stream<Path> files = Files.list(distro().resolve(part))) {
                for (Path file : (Iterable<Path>) files::iterator) {
                    Files.copy(
                            file, copy.resolve(part).resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
        return copy;
    }

    /** The bundles of a profile, as the distro ships them. */
    public static List<Path> bundles(String profile) {
        try (Stream<Path> files = Files.list(distro().resolve("profiles").resolve(profile))) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One of them. */
    public static Path jar(String profile, String name) {
        return bundles(profile).stream()
                .filter(file -> file.getFileName().toString().startsWith(name + "-"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name + " in " + profile));
    }

    /** Pax Exam options that start a profile, with Jupiter's assertions for the tests in it. */
    public static Option[] options(String profile) {
        List<Option> options = new ArrayList<>();
        bundles(profile).forEach(jar -> options.add(bundle(jar.toUri().toString())));
        for (Class<?> type : ASSERTIONS) {
            URL jar = type.getProtectionDomain().getCodeSource().getLocation();
            options.add(bundle(jar.toString()));
        }
        return options.toArray(Option[]::new);
    }
}
