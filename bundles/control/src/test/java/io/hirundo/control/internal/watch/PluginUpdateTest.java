package io.hirundo.control.internal.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.lib.plugin.PluginStarter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;

/** Jars that come in the place of others and cannot serve. */
class PluginUpdateTest extends DroppedPlugins {
    /** An activator that starts once. */
    public static final class Once implements BundleActivator {
        @Override
        public void start(BundleContext context) {
            var starts = (AtomicInteger) context.getService(context.getServiceReference(AtomicInteger.class.getName()));
            if (starts.incrementAndGet() > 1) {
                throw new IllegalStateException("once is enough");
            }
        }

        @Override
        public void stop(BundleContext context) {}
    }

    /** An activator whose stop lasts. */
    public static final class Lingering implements BundleActivator {
        @Override
        public void start(BundleContext context) {}

        @Override
        public void stop(BundleContext context) throws InterruptedException {
            ((CountDownLatch) context.getService(context.getServiceReference(CountDownLatch.class.getName()))).await();
        }
    }

    @Test
    void keepsTheEarlierBundleWhenTheNewOneFails() throws Exception {
        write("1.0.0", Map.of(), null);
        installer.install(jar.toFile());
        Bundle good = active();
        long modified = good.getLastModified();

        write("2.0.0", Map.of(Constants.IMPORT_PACKAGE, "com.nowhere"), null);
        installer.update(jar.toFile());
        assertEquals(modified, good.getLastModified(), "it was not even touched");
        Files.writeString(jar, "cut short");
        installer.update(jar.toFile());
        assertEquals(modified, good.getLastModified(), "it was not even touched");

        write("2.0.0", Map.of(Constants.IMPORT_PACKAGE, "org.osgi.framework"), Throwing.class);
        installer.update(jar.toFile());

        assertEquals("1.0.0", active().getVersion().toString());
        assertEquals(4, log.size(), log::toString);
        log.subList(1, 3)
                .forEach(line -> assertTrue(
                        line.startsWith("WARNING plugin acme.jar is not used; acme 1.0.0 keeps running unchanged: "),
                        line));
        assertTrue(
                log.getLast().startsWith("WARNING plugin acme.jar is not used; acme 1.0.0 runs again: "), log::getLast);
        assertTrue(log.getLast().endsWith(": no such device"), log::getLast);
    }

    @Test
    void reportsBothFailuresWhenTheEarlierBundleFailsToo() throws Exception {
        var starts = new AtomicInteger();
        framework.getBundleContext().registerService(AtomicInteger.class, starts, null);
        write("1.0.0", Map.of(Constants.IMPORT_PACKAGE, "org.osgi.framework"), Once.class);
        byte[] first = Files.readAllBytes(jar);
        installer.install(jar.toFile());

        write("2.0.0", Map.of(Constants.IMPORT_PACKAGE, "org.osgi.framework"), Throwing.class);
        installer.update(jar.toFile());

        assertTrue(
                log.getLast()
                        .matches(
                                "WARNING plugin acme.jar is not used; acme 1.0.0 is stopped until the jar is copied again, because after the new one "
                                        + "\\(.*no such device\\) it could not be started again: .*once is enough"),
                log::getLast);
        assertEquals(Bundle.RESOLVED, plugins().getFirst().getState());

        starts.set(0);
        Files.write(jar, first);
        installer.update(jar.toFile());
        assertEquals("1.0.0", active().getVersion().toString(), "what it was before is not taken for what is there");
    }

    @Test
    void cannotRollBackWithoutABackup() throws Exception {
        write("1.0.0", Map.of(), null);
        framework.getBundleContext().installBundle(jar.toUri().toString()).start();
        write("2.0.0", Map.of(Constants.IMPORT_PACKAGE, "org.osgi.framework"), Throwing.class);
        Files.setLastModifiedTime(jar, FileTime.from(Instant.now().plusSeconds(60)));

        installer.update(jar.toFile());

        assertTrue(
                log.getLast()
                        .startsWith(
                                "WARNING plugin acme.jar is not used; acme 2.0.0 is stopped until the jar is copied again, because acme 1.0.0 had no backup copy: "),
                log::getLast);
        assertEquals(Bundle.RESOLVED, plugins().getFirst().getState());
    }

    @Test
    void limitsTheWaitForUsersOfTheOldBundle() throws Exception {
        var lingers = new CountDownLatch(1);
        framework.getBundleContext().registerService(CountDownLatch.class, lingers, null);
        write("1.0.0", Map.of(Constants.EXPORT_PACKAGE, "acme"), null);
        installer.install(jar.toFile());
        Path user = folder.resolve("user.jar");
        write(
                user,
                "1.0.0",
                Map.of(Constants.BUNDLE_SYMBOLICNAME, "user", Constants.IMPORT_PACKAGE, "acme,org.osgi.framework"),
                Lingering.class);
        installer.install(user.toFile());

        write("2.0.0", Map.of(Constants.EXPORT_PACKAGE, "acme"), null);
        new PluginInstaller(
                        framework.getBundleContext(),
                        Duration.ofMillis(200),
                        new PluginStarter(framework.getBundleContext()))
                .update(jar.toFile());

        assertEquals(
                "WARNING plugin acme.jar is not used; acme 2.0.0 is stopped until the jar is copied again: "
                        + "other bundles did not release the classes of the earlier version in time",
                log.getLast());
        lingers.countDown();
        installer.update(jar.toFile());
        assertEquals("INFO plugin acme.jar was updated: acme 2.0.0", log.getLast());
        assertEquals(Bundle.ACTIVE, plugins().getFirst().getState());
    }
}
