package io.hirundo.control.internal.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.lib.plugin.PluginStarter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkUtil;

/** Jars that come, change and go, in a framework. */
class PluginInstallerTest extends DroppedPlugins {
    @Test
    void installsUpdatesAndUninstallsAJar() throws Exception {
        write("1.0.0", Map.of(), null);
        installer.install(jar.toFile());
        assertEquals("1.0.0", active().getVersion().toString());

        write("1.1.0", Map.of(), null);
        installer.update(jar.toFile());
        assertEquals("1.1.0", active().getVersion().toString());

        // The same version once more: what somebody builds while trying things out.
        write("1.1.0", Map.of("Acme-Note", "fixed"), null);
        installer.update(jar.toFile());
        assertEquals("fixed", active().getHeaders().get("Acme-Note"));

        Files.delete(jar);
        installer.uninstall(jar.toFile());
        assertEquals(List.of(), plugins());
        assertEquals(
                List.of(
                        "INFO plugin acme.jar was installed: acme 1.0.0",
                                "INFO plugin acme.jar was updated: acme 1.1.0",
                        "INFO plugin acme.jar was updated: acme 1.1.0", "INFO plugin acme.jar was removed: acme 1.1.0"),
                log);
    }

    @Test
    void keepsBundlesThatTheLauncherInstalled() throws Exception {
        write("1.0.0", Map.of(), null);
        Bundle launched = framework.getBundleContext().installBundle(jar.toUri().toString());
        launched.start();
        long modified = launched.getLastModified();

        installer.update(jar.toFile());

        assertEquals(List.of(launched), plugins());
        assertEquals(modified, launched.getLastModified(), "it was neither updated nor restarted");
        assertEquals(List.of(), log);
    }

    /** Neither alone, nor with another one, nor as an update. */
    @Test
    void leavesOutAJarThatOthersCanReplace() throws Exception {
        Function<Path, String> trust = file -> file.equals(jar) ? "others can write to it; chmod go-w" : null;
        framework
                .getBundleContext()
                .registerService(Function.class, trust, FrameworkUtil.asDictionary(Map.of("hirundo.trust", true)));
        write("1.0.0", Map.of(), null);
        installer.install(jar.toFile());
        Path other = folder.resolve("other.jar");
        write(other, "2.0.0", Map.of(), null);
        installer.install(other.toFile());
        installer.update(jar.toFile());
        assertEquals("2.0.0", active().getVersion().toString());
        String rejection = "WARNING plugin acme.jar is not used: others can write to it; chmod go-w";
        assertEquals(List.of(rejection, "INFO plugin other.jar was installed: acme 2.0.0", rejection), log);
    }

    @Test
    void logsAJarThatFailsInOneLine() throws Exception {
        Files.writeString(jar, "no jar at all");
        assertRejected("");
        write("1.0.0", Map.of(), null);
        byte[] whole = Files.readAllBytes(jar);
        Files.write(jar, Arrays.copyOf(whole, whole.length / 2));
        assertRejected("");
        write("1.0.0", Map.of(Constants.IMPORT_PACKAGE, "com.nowhere;version=\"[3,4)\""), null);
        assertRejected("com.nowhere");
        write("1.0.0", Map.of(Constants.IMPORT_PACKAGE, "org.osgi.framework"), Throwing.class);
        assertRejected(": no such device");
        writePlainJar();
        assertRejected("not an OSGi bundle");
    }

    @Test
    void installsMutuallyDependentJarsInAnyOrder() throws Exception {
        Path user = writeUser("acme");
        write("1.0.0", Map.of(Constants.EXPORT_PACKAGE, "acme"), null);
        Path cut = Files.writeString(folder.resolve("cut.jar"), "no jar at all");

        installer.install(user.toFile());
        installer.install(jar.toFile());

        assertEquals(
                List.of(Bundle.ACTIVE, Bundle.ACTIVE),
                plugins().stream().map(Bundle::getState).toList());
        assertEquals(
                List.of(
                        "INFO plugin user.jar was installed: user 1.0.0",
                        "INFO plugin acme.jar was installed: acme 1.0.0"),
                log);
        installer.install(cut.toFile());
        assertEquals(
                "WARNING plugin cut.jar is not used: it is not a jar (zip END header not found): remove it or copy it again",
                log.getLast());
    }

    @Test
    void installsAWaitingJarWhenItsRequirementArrives() throws Exception {
        write("1.0.0", Map.of(), null);
        installer.install(jar.toFile());
        Path user = writeUser("acme");
        installer.install(user.toFile());
        assertTrue(log.getLast().startsWith("WARNING plugin user.jar is not used: "), log::toString);

        write("2.0.0", Map.of(Constants.EXPORT_PACKAGE, "acme"), null);
        installer.update(jar.toFile());

        assertEquals("INFO plugin user.jar was installed: user 1.0.0", log.getLast());
        assertEquals(
                List.of(Bundle.ACTIVE, Bundle.ACTIVE),
                plugins().stream().map(Bundle::getState).toList());
    }

    @Test
    void rejectsAJarThatNeedsAFailedOne() throws Exception {
        Path user = writeUser("acme");
        Map<String, String> headers =
                Map.of(Constants.EXPORT_PACKAGE, "acme", Constants.IMPORT_PACKAGE, "org.osgi.framework");
        write("1.0.0", headers, Throwing.class);

        installer.install(user.toFile());
        installer.install(jar.toFile());

        assertEquals(List.of(), plugins());
        assertEquals(2, log.size(), log::toString);
        assertTrue(log.getFirst().startsWith("WARNING plugin user.jar is not used: "), log::toString);
        assertTrue(log.getLast().startsWith("WARNING plugin acme.jar is not used: "), log::toString);
        assertTrue(log.getLast().endsWith("no such device"), log::toString);
    }

    @Test
    void hangingActivatorDoesNotBlockOthers() throws Exception {
        BundleContext context = framework.getBundleContext();
        var starter = new PluginStarter(
                context,
                bundle -> bundle.getSymbolicName().equals("hanging") ? Duration.ofMillis(500) : Duration.ofMinutes(1));
        installer = new PluginInstaller(context, Duration.ofMinutes(1), starter);
        Path hanging = folder.resolve("hanging.jar");
        write(
                hanging,
                "1.0.0",
                Map.of(Constants.BUNDLE_SYMBOLICNAME, "hanging", Constants.IMPORT_PACKAGE, "org.osgi.framework"),
                Hanging.class);
        installer.install(hanging.toFile());
        write("1.0.0", Map.of(), null);
        installer.install(jar.toFile());
        write(
                hanging,
                "1.0.1",
                Map.of(Constants.BUNDLE_SYMBOLICNAME, "hanging", Constants.IMPORT_PACKAGE, "org.osgi.framework"),
                null);
        installer.update(hanging.toFile());

        assertEquals(3, log.size(), log::toString);
        assertTrue(
                log.getFirst()
                        .startsWith("WARNING plugin hanging.jar is not used: its activator " + Hanging.class.getName()
                                + " has not returned"),
                log::toString);
        assertEquals("INFO plugin acme.jar was installed: acme 1.0.0", log.get(1));
        assertTrue(
                log.getLast().contains("the start of hanging has not returned; it stays installed until the run ends"),
                log::toString);

        Files.delete(hanging);
        installer.uninstall(hanging.toFile());
        System.setProperty("test.ends", "now");
        for (int look = 0; plugins().size() > 1; look++) {
            assertTrue(look < 6000, "it is still there although its activator has returned");
            Thread.sleep(10);
        }
        assertEquals("acme", active().getSymbolicName());
    }

    @Test
    void namesABrokenComponentDescription() throws Exception {
        write("1.0.0", Map.of("Service-Component", "OSGI-INF/none.xml"), null);
        assertRejected("its header Service-Component names OSGI-INF/none.xml, which is not in it");
    }

    @Test
    @Timeout(60)
    void doesNotOpenANamedPipe() throws Exception {
        assertEquals(0, new ProcessBuilder("mkfifo", jar.toString()).start().waitFor());
        assertRejected("it is not a regular file: remove it, or copy the jar again");
    }

    private Path writeUser(String imported) throws IOException {
        Path user = folder.resolve("user.jar");
        write(user, "1.0.0", Map.of(Constants.BUNDLE_SYMBOLICNAME, "user", Constants.IMPORT_PACKAGE, imported), null);
        return user;
    }

    private void assertRejected(String reason) {
        log.clear();
        installer.install(jar.toFile());
        assertEquals(List.of(), plugins());
        assertEquals(1, log.size(), log::toString);
        assertTrue(log.getFirst().startsWith("WARNING plugin acme.jar is not used: "), log::toString);
        assertTrue(log.getFirst().contains(reason), log::toString);
        assertFalse(log.getFirst().contains("\n"), log::toString);
    }

    private void writePlainJar() throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    }
}
