package io.hirundo.control.internal.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
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
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;

/** A framework, and an installer that a test notifies of jars in a folder. */
abstract class DroppedPlugins {
    /** An activator that throws. */
    public static final class Throwing implements BundleActivator {
        @Override
        public void start(BundleContext context) {
            throw new IllegalStateException("no such device");
        }

        @Override
        public void stop(BundleContext context) {}
    }

    /** An activator that does not return before the test ends. */
    public static final class Hanging implements BundleActivator {
        @Override
        public void start(BundleContext context) {
            while (context.getProperty("test.ends") == null) {
                LockSupport.parkNanos(1_000_000);
                Thread.interrupted();
            }
        }

        @Override
        public void stop(BundleContext context) {}
    }

    @TempDir
    Path folder;

    private final Logger logger = Logger.getLogger(PluginInstaller.class.getName());
    final List<String> log = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            log.add(line.getLevel() + " " + new SimpleFormatter().formatMessage(line));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    Framework framework;
    PluginInstaller installer;
    Path jar;

    @BeforeEach
    void start() throws Exception {
        framework = new FrameworkFactory()
                .newFramework(Map.of(
                        Constants.FRAMEWORK_STORAGE, folder.resolve("storage").toString()));
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
        System.setProperty("test.ends", "now");
        framework.stop();
        framework.waitForStop(10_000);
        System.clearProperty("test.ends");
    }

    Bundle active() {
        assertEquals(1, plugins().size());
        assertEquals(Bundle.ACTIVE, plugins().getFirst().getState());
        return plugins().getFirst();
    }

    List<Bundle> plugins() {
        return Arrays.stream(framework.getBundleContext().getBundles())
                .filter(bundle -> bundle.getBundleId() > 0)
                .toList();
    }

    void write(String version, Map<String, String> more, Class<?> activator) throws IOException {
        write(jar, version, more, activator);
    }

    static void write(Path jar, String version, Map<String, String> more, Class<?> activator) throws IOException {
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
}
