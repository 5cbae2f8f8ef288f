package io.hirundo.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkUtil;

/** Jars in {@code plugins/} that are not what they should be, in a framework. */
class PluginsTest {
    /** Says by a service that it runs. */
    public static final class Sound implements BundleActivator {
        @Override
        public void start(BundleContext context) {
            context.registerService(Runnable.class, () -> {}, null);
        }

        @Override
        public void stop(BundleContext context) {}
    }

    /** Starts plugins, as the bundle cli does. */
    public static final class Starting implements BundleActivator {
        @Override
        public void start(BundleContext context) {
            Function<Collection<Bundle>, Map<Bundle, String>> starter = Starting::start;
            context.registerService(
                    Function.class, starter, FrameworkUtil.asDictionary(Map.of("hirundo.plugins", true)));
        }

        private static Map<Bundle, String> start(Collection<Bundle> plugins) {
            Map<Bundle, String> unusable = new HashMap<>();
            for (Bundle plugin : plugins) {
                try {
                    plugin.start();
                } catch (BundleException failure) {
                    unusable.put(plugin, String.valueOf(failure.getCause()));
                }
            }
            return unusable;
        }

        @Override
        public void stop(BundleContext context) {}
    }

    /** Does not start. */
    public static final class Failing implements BundleActivator {
        @Override
        public void start(BundleContext context) {
            throw new IllegalStateException("no license");
        }

        @Override
        public void stop(BundleContext context) {}
    }

    /** Returns only when the test ends. */
    public static final class Hanging implements BundleActivator {
        @Override
        public void start(BundleContext context) {
            System.setProperty("test.hangs", "now");
            while (System.getProperty("test.ends") == null) {
                LockSupport.parkNanos(1_000_000);
            }
        }

        @Override
        public void stop(BundleContext context) {}
    }

    @TempDir
    private Path home;

    @AfterEach
    void clear() {
        System.clearProperty("test.hangs");
    }

    @BeforeEach
    void profileWithOneBundle() throws IOException {
        Files.createDirectories(home.resolve("profiles").resolve("some"));
        Files.createDirectories(home.resolve("plugins"));
        Files.write(
                home.resolve("profiles").resolve("some").resolve("own.jar"),
                bundle("io.own", activator(Starting.class)));
    }

    @Test
    void namesEachJarWithTheRemedy() throws IOException {
        dropDamagedOnes();

        List<String> lines = rejection();

        assertEquals(
                List.of(
                        "plugins/b-copy.jar is a second copy of org.sound 1.2.0, which plugins/a-sound.jar holds: remove one",
                        "plugins/cut.jar is not a jar (zip END header not found): remove it or copy it again",
                        "plugins/empty.jar is not a jar (zip file is empty): remove it or copy it again",
                        "plugins/own.jar is a second copy of io.own 1.2.0, which is one of Hirundo's own: remove it",
                        "plugins/plain.jar is not an OSGi bundle, its manifest has no Bundle-SymbolicName: "
                                + "build it as one, or remove it"),
                lines.subList(0, 5));
        assertEquals(6, lines.size(), lines::toString);
        assertTrue(lines.getLast().startsWith("bundle org.lonely ("), lines::toString);
        assertTrue(
                lines.getLast().contains("nothing provides package no.such, version >= 2.0.0 and < 3.0.0"),
                lines::toString);
    }

    @Test
    void startsTheOtherPlugins() throws Exception {
        dropDamagedOnes();
        drop("failing.jar", bundle("org.failing", activator(Failing.class)));

        try (Container container = start(false)) {
            assertTrue(container.service(Runnable.class, "(!(no=thing))").isPresent(), "the sound one runs");
        }
    }

    @Test
    void closedFrameworkHasNoService() throws Exception {
        Container container = start(true);
        container.close();
        assertTrue(
                container.service(Function.class, "(hirundo.plugins=true)").isEmpty(), "a signal may come at any time");
    }

    @Test
    void namesAFailingPluginWithItsException() throws IOException {
        drop("failing.jar", bundle("org.failing", activator(Failing.class)));

        List<String> lines = rejection();

        assertEquals(1, lines.size(), lines::toString);
        String line = lines.getFirst();
        assertEquals(
                "plugins/failing.jar cannot be used: java.lang.IllegalStateException: no license; repair it, or remove it",
                line);
    }

    @Test
    @Timeout(60)
    void namesNonFilesWithoutOpeningThem() throws Exception {
        Files.createDirectory(home.resolve("plugins/folder.jar"));
        Files.createSymbolicLink(home.resolve("plugins/link.jar"), home.resolve("nothing"));
        Path pipe = home.resolve("plugins/pipe.jar");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());

        assertEquals(
                List.of(
                        "plugins/folder.jar is not a regular file: remove it, or copy the jar again",
                        "plugins/link.jar is not a regular file: remove it, or copy the jar again",
                        "plugins/pipe.jar is not a regular file: remove it, or copy the jar again"),
                rejection());
    }

    /** Also where a damaged part of a jar is seen late, each time in one line. */
    @Test
    void reportsATruncatedJarInOneLine() throws IOException {
        byte[] sound = bundle("org.sound", activator(Sound.class));
        for (int length = 0; length < sound.length; length += sound.length / 16) {
            drop("cut.jar", Arrays.copyOf(sound, length));
            List<String> lines = rejection();
            assertEquals(1, lines.size(), lines::toString);
            assertTrue(lines.getFirst().startsWith("plugins/cut.jar is not a jar ("), lines::toString);
        }
    }

    @Test
    void signalEndsTheStartDuringAHangingActivator() throws Exception {
        drop("hanging.jar", bundle("org.hanging", activator(Hanging.class)));
        var signalNanos = new AtomicLong();
        BooleanSupplier interrupted = () -> {
            boolean hangs = System.getProperty("test.hangs") != null;
            if (hangs) {
                signalNanos.compareAndSet(0, System.nanoTime());
            }
            return hangs;
        };
        try {
            LaunchException ended = assertTimeoutPreemptively(
                    Duration.ofMinutes(1),
                    () -> assertThrows(
                            LaunchException.class,
                            () -> Container.start(
                                    home, Profile.read(home, "some"), home.resolve("storage"), true, interrupted)));
            long nanos = System.nanoTime() - signalNanos.get();
            assertEquals(Interrupts.EXIT_CODE, ended.exitCode());
            // The start would end after 30 s of its own accord.
            assertTrue(nanos < Duration.ofSeconds(25).toNanos(), () -> "ended only after " + nanos + " ns");
        } finally {
            System.setProperty("test.ends", "now");
        }
    }

    @Test
    void namesAMissingOrInvalidManifest() throws Exception {
        var bytes = new ByteArrayOutputStream();
        try (var out = new JarOutputStream(bytes)) {
            out.putNextEntry(new JarEntry("readme"));
        }
        drop("none.jar", bytes.toByteArray());
        try (var out = new JarOutputStream(bytes)) {
            bytes.reset();
            out.putNextEntry(new JarEntry("META-INF/MANIFEST.MF"));
            out.write(new byte[] {7, 27, (byte) 200, '\n', 3});
        }
        drop("wrong.jar", bytes.toByteArray());
        drop("header.jar", bundle("org.header", Map.of(Constants.IMPORT_PACKAGE, ";;;=")));

        String reason = " has no readable META-INF/MANIFEST.MF: build it as a bundle, or remove it";
        assertEquals(
                List.of(
                        "plugins/header.jar cannot be installed (Unable to parse header: ;;;=): rebuild it, or remove it",
                        "plugins/none.jar" + reason,
                        "plugins/wrong.jar" + reason),
                rejection());
    }

    @Test
    void rejectsAJarThatOthersCanReplace() throws Exception {
        byte[] sound = bundle("org.sound", activator(Sound.class));
        drop("open.jar", sound);
        Path jar = home.toRealPath().resolve("plugins/open.jar");
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertEquals(
                List.of("plugins/open.jar is not loaded: " + jar
                        + " is writable for other users, who could replace the code; chmod go-w " + jar),
                rejection());
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
        start(true).close();
    }

    /** Also through a link to a jar in such a folder. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rejectsAJarInAFolderWhereOthersCanReplaceIt(boolean linked) throws Exception {
        Path open = linked ? Files.createDirectory(home.resolve("elsewhere")) : home.resolve("plugins");
        Path jar = Files.write(open.resolve("sound.jar"), bundle("org.sound", activator(Sound.class)));
        if (linked) {
            Files.createSymbolicLink(home.resolve("plugins/sound.jar"), jar);
        }
        new ProcessBuilder("chmod", "777", open.toString()).start().waitFor();
        assertEquals(
                List.of("plugins/sound.jar is not loaded: the folder " + open.toRealPath()
                        + " is writable for other users, who could replace the code; chmod go-w " + open.toRealPath()),
                rejection());
        new ProcessBuilder("chmod", "1777", open.toString()).start().waitFor();
        start(true).close();
    }

    @Test
    void rejectsAJarOfAnotherUser() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root can give a file to another user");
        drop("theirs.jar", bundle("org.sound", activator(Sound.class)));
        assertEquals(
                0,
                new ProcessBuilder(
                                "chown",
                                "12345",
                                home.resolve("plugins/theirs.jar").toString())
                        .start()
                        .waitFor());
        assertEquals(1, rejection().size());
        assertTrue(
                rejection()
                        .getFirst()
                        .contains("theirs.jar belongs to the user 12345, who could replace the code; chown it"),
                rejection()::toString);
        assertEquals(
                0,
                new ProcessBuilder(
                                "chown", "0", home.resolve("plugins/theirs.jar").toString())
                        .start()
                        .waitFor());
        assertEquals(
                0,
                new ProcessBuilder("chown", "12345", home.resolve("plugins").toString())
                        .start()
                        .waitFor());
        assertTrue(rejection().getFirst().contains("plugins belongs to the user 12345"), rejection()::toString);
    }

    /** A terminal would obey them. */
    @Test
    void escapesTheNameOfAJar() throws Exception {
        drop("a\033[31m\nb\u202e.jar", new byte[0]);
        assertEquals(
                List.of(
                        "plugins/a\\u001b[31m b\\u202e.jar is not a jar (zip file is empty): remove it or copy it again"),
                rejection());
    }

    private void dropDamagedOnes() throws IOException {
        byte[] sound = bundle("org.sound", activator(Sound.class));
        drop("a-sound.jar", sound);
        drop("b-copy.jar", sound);
        drop("cut.jar", Arrays.copyOf(sound, sound.length / 2));
        drop("empty.jar", new byte[0]);
        drop("lonely.jar", bundle("org.lonely", Map.of(Constants.IMPORT_PACKAGE, "no.such;version=\"[2,3)\"")));
        drop("own.jar", bundle("io.own", Map.of()));
        drop("plain.jar", jar(new Manifest()));
    }

    private List<String> rejection() {
        LaunchException rejected =
                assertThrows(LaunchException.class, () -> start(true).close());
        assertEquals(LaunchException.CONFIGURATION, rejected.exitCode());
        return List.of(rejected.getMessage().split("\nhirundo: "));
    }

    private Container start(boolean everyPlugin) throws IOException, LaunchException {
        return Container.start(home, Profile.read(home, "some"), home.resolve("storage"), everyPlugin, () -> false);
    }

    private void drop(String name, byte[] content) throws IOException {
        Files.write(home.resolve("plugins").resolve(name), content);
    }

    private static Map<String, String> activator(Class<?> type) {
        return Map.of(Constants.BUNDLE_ACTIVATOR, type.getName(), Constants.IMPORT_PACKAGE, "org.osgi.framework");
    }

    private static byte[] bundle(String name, Map<String, String> headers) throws IOException {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.putValue(Constants.BUNDLE_MANIFESTVERSION, "2");
        attributes.putValue(Constants.BUNDLE_SYMBOLICNAME, name);
        attributes.putValue(Constants.BUNDLE_VERSION, "1.2.0");
        headers.forEach(attributes::putValue);
        return jar(manifest, Sound.class, Failing.class, Starting.class, Hanging.class);
    }

    private static byte[] jar(Manifest manifest, Class<?>... types) throws IOException {
        var bytes = new ByteArrayOutputStream();
        manifest.getMainAttributes().putIfAbsent(Attributes.Name.MANIFEST_VERSION, "1.0");
        try (var out = new JarOutputStream(bytes, manifest)) {
            for (Class<?> type : types) {
                String entry = type.getName().replace('.', '/') + ".class";
                out.putNextEntry(new JarEntry(entry));
                try (var code = type.getClassLoader().getResourceAsStream(entry)) {
                    code.transferTo(out);
                }
            }
        }
        return bytes.toByteArray();
    }
}
