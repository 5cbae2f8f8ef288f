package io.hirundo.lib.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.apache.felix.framework.FrameworkFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;

/** In a framework without the API: a bundle that passes the check does not resolve. */
class ApiVersionCheckTest {
    @TempDir
    private Path storage;

    private Framework framework;
    private PluginStarter starter;

    @BeforeEach
    void startFramework() throws BundleException {
        framework = new FrameworkFactory().newFramework(Map.of(Constants.FRAMEWORK_STORAGE, storage.toString()));
        framework.start();
        starter = new PluginStarter(framework.getBundleContext(), _ -> Duration.ofMinutes(1));
    }

    @AfterEach
    void stopFramework() throws Exception {
        framework.stop();
        framework.waitForStop(10_000);
    }

    @Test
    void rejectsJarBuiltForOlderApi() throws Exception {
        Bundle old = install(
                "org.osgi.framework,io.hirundo.tensor;version=\"[0.27,1)\",io.hirundo.strategy;version=\"[0.9,1)\"");

        var unusable = assertThrows(UnusablePluginException.class, () -> starter.start(old));

        assertEquals(
                "it was built for version 0.9.0 of io.hirundo.strategy, and the API has changed incompatibly since then; build it again for"
                        + " version 0.27.0 or later",
                unusable.getMessage());
        assertEquals(Bundle.INSTALLED, old.getState());
    }

    @Test
    void rejectsJarBuiltForOlderVersionOfOnePackage() throws Exception {
        Bundle old =
                install("io.hirundo.tensor;version=\"[0.27,1)\",io.hirundo.kernel.optimizer;version=\"[0.27.1,1)\"");

        var unusable = assertThrows(UnusablePluginException.class, () -> starter.start(old));

        assertEquals(
                "it was built for version 0.27.1 of io.hirundo.kernel.optimizer, and the API has changed incompatibly since then; build it again for"
                        + " version 0.28.0 or later",
                unusable.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"io.hirundo", "io.hirundo.event"})
    void checksAllPackagesOfApi(String name) throws Exception {
        Bundle old = install(name + ";version=\"0.26.9\"");
        assertThrows(UnusablePluginException.class, () -> starter.start(old));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.hirundo.strategy;version=\"[0.27,1)\"",
                "io.hirundo.strategy;version=\"[0.28,0.29)\"",
                "io.hirundo.strategy",
                "io.hirundo.kernel.optimizer;version=\"[0.28,1)\"",
                "io.hirundo.lib.files;version=\"[0.1,1)\"",
                "io.hirundoclone;version=\"[0.1,1)\""
            })
    void acceptsOtherImports(String imports) throws Exception {
        Bundle bundle = install(imports);
        assertThrows(BundleException.class, () -> starter.start(bundle));
    }

    private Bundle install(String imports) throws BundleException, IOException {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.putValue(Constants.BUNDLE_MANIFESTVERSION, "2");
        attributes.putValue(Constants.BUNDLE_SYMBOLICNAME, "acme");
        attributes.putValue(Constants.IMPORT_PACKAGE, imports);
        var bytes = new ByteArrayOutputStream();
        new JarOutputStream(bytes, manifest).close();
        return framework.getBundleContext().installBundle("test:acme", new ByteArrayInputStream(bytes.toByteArray()));
    }
}
