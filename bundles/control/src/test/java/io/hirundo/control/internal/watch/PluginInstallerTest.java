package io.hirundo.control.internal.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.apache.felix.framework.FrameworkFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;

/** Jars that come, change and go, in a framework. */
class PluginInstallerTest {
  /** An activator that throws. */
  public static final class Throwing implements BundleActivator {
    @Override
    public void start(BundleContext context) {
      throw new IllegalStateException("no such device");
    }

    @Override
    public void stop(BundleContext context) {}
  }

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

  @TempDir private Path folder;

  private final Logger logger = Logger.getLogger(PluginInstaller.class.getName());
  private final List<String> log = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          log.add(line.getLevel() + " " + new SimpleFormatter().formatMessage(line));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };
  private Framework framework;
  private PluginInstaller installer;
  private Path jar;

  @BeforeEach
  void start() throws Exception {
    framework = new FrameworkFactory().newFramework(Map.of(Constants.FRAMEWORK_STORAGE, folder.resolve("storage").toString()));
    framework.start();
    installer = new PluginInstaller(framework.getBundleContext());
    jar = folder.resolve("acme.jar");
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
  }

  @AfterEach
  void stop() throws Exception {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
    framework.stop();
    framework.waitForStop(10_000);
  }

  @Test
  void aJarComesChangesAndGoes() throws Exception {
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
            "INFO plugin acme.jar was installed: acme 1.0.0", "INFO plugin acme.jar was updated: acme 1.1.0",
            "INFO plugin acme.jar was updated: acme 1.1.0", "INFO plugin acme.jar was removed: acme 1.1.0"),
        log);
  }

  @Test
  void whatTheLauncherHasInstalledStays() throws Exception {
    write("1.0.0", Map.of(), null);
    Bundle launched = framework.getBundleContext().installBundle(jar.toUri().toString());
    launched.start();
    long modified = launched.getLastModified();

    installer.update(jar.toFile());

    assertEquals(List.of(launched), plugins());
    assertEquals(modified, launched.getLastModified(), "it was neither updated nor started anew");
    assertEquals(List.of(), log);
  }

  @Test
  void whatCannotServeLeavesALine() throws Exception {
    Files.writeString(jar, "no jar at all");
    assertRefused("");
    write("1.0.0", Map.of(), null);
    byte[] whole = Files.readAllBytes(jar);
    Files.write(jar, Arrays.copyOf(whole, whole.length / 2));
    assertRefused("");
    write("1.0.0", Map.of(Constants.IMPORT_PACKAGE, "com.nowhere;version=\"[3,4)\""), null);
    assertRefused("com.nowhere");
    write("1.0.0", Map.of(Constants.IMPORT_PACKAGE, "org.osgi.framework"), Throwing.class);
    assertRefused("IllegalStateException: no such device");
    writePlainJar();
    assertRefused("no OSGi bundle");
  }

  @Test
  void jarsThatNeedEachOtherMayComeInAnyOrder() throws Exception {
    Path user = writeUser("acme");
    write("1.0.0", Map.of(Constants.EXPORT_PACKAGE, "acme"), null);
    Path cut = Files.writeString(folder.resolve("cut.jar"), "no jar at all");

    installer.install(user.toFile());
    installer.install(jar.toFile());

    assertEquals(List.of(Bundle.ACTIVE, Bundle.ACTIVE), plugins().stream().map(Bundle::getState).toList());
    assertEquals(
        List.of("INFO plugin user.jar was installed: user 1.0.0", "INFO plugin acme.jar was installed: acme 1.0.0"), log);
    installer.install(cut.toFile());
    assertEquals(
        "WARNING plugin cut.jar is not used: it is not a jar (zip END header not found): remove it or copy it again",
        log.getLast());
  }

  @Test
  void whatMissedSomethingServesAsSoonAsItIsThere() throws Exception {
    write("1.0.0", Map.of(), null);
    installer.install(jar.toFile());
    Path user = writeUser("acme");
    installer.install(user.toFile());
    assertTrue(log.getLast().startsWith("WARNING plugin user.jar is not used: "), log::toString);

    write("2.0.0", Map.of(Constants.EXPORT_PACKAGE, "acme"), null);
    installer.update(jar.toFile());

    assertEquals("INFO plugin user.jar was installed: user 1.0.0", log.getLast());
    assertEquals(List.of(Bundle.ACTIVE, Bundle.ACTIVE), plugins().stream().map(Bundle::getState).toList());
  }

  @Test
  void whoNeedsOneThatCannotStartIsRefusedWithIt() throws Exception {
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

  private Path writeUser(String imported) throws IOException {
    Path user = folder.resolve("user.jar");
    write(user, "1.0.0", Map.of(Constants.BUNDLE_SYMBOLICNAME, "user", Constants.IMPORT_PACKAGE, imported), null);
    return user;
  }

  private void assertRefused(String reason) {
    log.clear();
    installer.install(jar.toFile());
    assertEquals(List.of(), plugins());
    assertEquals(1, log.size(), log::toString);
    assertTrue(log.getFirst().startsWith("WARNING plugin acme.jar is not used: "), log::toString);
    assertTrue(log.getFirst().contains(reason), log::toString);
    assertFalse(log.getFirst().contains("\n"), log::toString);
  }

  @Test
  void whatWasThereGoesOnWhenItsSuccessorCannotServe() throws Exception {
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
    log.subList(1, 3).forEach(line -> assertTrue(line.startsWith("WARNING plugin acme.jar is not used; acme 1.0.0 stays as it was: "), line));
    assertTrue(log.getLast().startsWith("WARNING plugin acme.jar is not used; acme 1.0.0 serves again: "), log::getLast);
    assertTrue(log.getLast().endsWith("IllegalStateException: no such device"), log::getLast);
  }

  @Test
  void whereNeitherServesTheLineSaysWhyOfBoth() throws Exception {
    var starts = new AtomicInteger();
    framework.getBundleContext().registerService(AtomicInteger.class, starts, null);
    write("1.0.0", Map.of(Constants.IMPORT_PACKAGE, "org.osgi.framework"), Once.class);
    byte[] first = Files.readAllBytes(jar);
    installer.install(jar.toFile());

    write("2.0.0", Map.of(Constants.IMPORT_PACKAGE, "org.osgi.framework"), Throwing.class);
    installer.update(jar.toFile());

    assertTrue(
        log.getLast().matches(
            "WARNING plugin acme.jar is not used; acme 1.0.0 is stopped until the jar is dropped once more, since after the new one "
                + "\\(.*no such device\\) it could not be started again: .*once is enough"),
        log::getLast);
    assertEquals(Bundle.RESOLVED, plugins().getFirst().getState());

    starts.set(0);
    Files.write(jar, first);
    installer.update(jar.toFile());
    assertEquals("1.0.0", active().getVersion().toString(), "what it was before is not taken for what is there");
  }

  @Test
  void whatIsNotKeptCannotBeGoneBackTo() throws Exception {
    write("1.0.0", Map.of(), null);
    framework.getBundleContext().installBundle(jar.toUri().toString()).start();
    write("2.0.0", Map.of(Constants.IMPORT_PACKAGE, "org.osgi.framework"), Throwing.class);
    Files.setLastModifiedTime(jar, FileTime.from(Instant.now().plusSeconds(60)));

    installer.update(jar.toFile());

    assertTrue(
        log.getLast().startsWith(
            "WARNING plugin acme.jar is not used; acme 2.0.0 is stopped until the jar is dropped once more, since acme 1.0.0 had not been kept: "),
        log::getLast);
    assertEquals(Bundle.RESOLVED, plugins().getFirst().getState());
  }

  @Test
  void whoDoesNotLetGoOfTheOldOneIsNotWaitedForWithoutEnd() throws Exception {
    var lingers = new CountDownLatch(1);
    framework.getBundleContext().registerService(CountDownLatch.class, lingers, null);
    write("1.0.0", Map.of(Constants.EXPORT_PACKAGE, "acme"), null);
    installer.install(jar.toFile());
    Path user = folder.resolve("user.jar");
    write(user, "1.0.0", Map.of(Constants.BUNDLE_SYMBOLICNAME, "user", Constants.IMPORT_PACKAGE, "acme,org.osgi.framework"), Lingering.class);
    installer.install(user.toFile());

    write("2.0.0", Map.of(Constants.EXPORT_PACKAGE, "acme"), null);
    new PluginInstaller(framework.getBundleContext(), Duration.ofMillis(200)).update(jar.toFile());

    assertEquals(
        "WARNING plugin acme.jar is not used; acme 2.0.0 is stopped until the jar is dropped once more: "
            + "other bundles have not let go of the classes of the one before in time",
        log.getLast());
    lingers.countDown();
    installer.update(jar.toFile());
    assertEquals("INFO plugin acme.jar was updated: acme 2.0.0", log.getLast());
    assertEquals(Bundle.ACTIVE, plugins().getFirst().getState());
  }

  private Bundle active() {
    assertEquals(1, plugins().size());
    assertEquals(Bundle.ACTIVE, plugins().getFirst().getState());
    return plugins().getFirst();
  }

  private List<Bundle> plugins() {
    return Arrays.stream(framework.getBundleContext().getBundles()).filter(bundle -> bundle.getBundleId() > 0).toList();
  }

  private void write(String version, Map<String, String> more, Class<?> activator) throws IOException {
    write(jar, version, more, activator);
  }

  private static void write(Path jar, String version, Map<String, String> more, Class<?> activator) throws IOException {
    Manifest manifest = new Manifest();
    Attributes headers = manifest.getMainAttributes();
    headers.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    headers.putValue(Constants.BUNDLE_MANIFESTVERSION, "2");
    headers.putValue(Constants.BUNDLE_SYMBOLICNAME, "acme");
    headers.putValue(Constants.BUNDLE_VERSION, version);
    more.forEach(headers::putValue);
    if (activator != null) {
      headers.putValue(Constants.BUNDLE_ACTIVATOR, activator.getName());
    }
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out, manifest)) {
      if (activator != null) {
        String name = activator.getName().replace('.', '/') + ".class";
        entries.putNextEntry(new JarEntry(name));
        try (InputStream code = activator.getClassLoader().getResourceAsStream(name)) {
          code.transferTo(entries);
        }
      }
    }
  }

  private void writePlainJar() throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
  }
}
