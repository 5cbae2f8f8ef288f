package io.hirundo.lib.plugin;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.apache.felix.framework.FrameworkFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;
import org.osgi.service.component.runtime.ServiceComponentRuntime;
import org.osgi.service.component.runtime.dto.ComponentDescriptionDTO;

/** Broken plugins in an OSGi framework. */
class PluginStarterTest {
    private static final String XML = "OSGI-INF/acme.xml";

    /** Sleeps forever, but ends on interrupt. */
    public static final class Sleeping implements BundleActivator {
        @Override
        public void start(BundleContext context) throws InterruptedException {
            Thread.sleep(Duration.ofHours(1));
        }

        @Override
        public void stop(BundleContext context) {}
    }

    /** Returns only when the test ends. */
    public static final class Deaf implements BundleActivator {
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

    /** Throws. */
    public static final class Throwing implements BundleActivator {
        @Override
        public void start(BundleContext context) {
            throw new IllegalStateException("no license");
        }

        @Override
        public void stop(BundleContext context) {}
    }

    @TempDir
    private Path storage;

    private Framework framework;
    private PluginStarter starter;

    @BeforeEach
    void startFramework() throws BundleException {
        framework = new FrameworkFactory().newFramework(Map.of(Constants.FRAMEWORK_STORAGE, storage.toString()));
        framework.start();
        // Short limit for hanging activators; generous limit for code that returns on a busy machine.
        starter = new PluginStarter(
                framework.getBundleContext(),
                bundle -> isEndless(bundle) ? Duration.ofSeconds(1) : Duration.ofMinutes(1));
    }

    @AfterEach
    void stopFramework() throws Exception {
        System.setProperty("test.ends", "now");
        framework.stop();
        framework.waitForStop(10_000);
        System.clearProperty("test.ends");
    }

    @Test
    void namesActivatorThatTimesOut() throws Exception {
        Bundle sleeping = install(activator(Sleeping.class), Map.of());

        var unusable = assertThrows(UnusablePluginException.class, () -> starter.start(sleeping));

        assertEquals(
                "its activator " + Sleeping.class.getName()
                        + " has not returned within 1 s; -Dhirundo.start.seconds=N in HIRUNDO_JAVA_OPTS allows more",
                unusable.getMessage());
        await(() -> sleeping.getState() == Bundle.RESOLVED, "it heeds interrupts");
        assertFalse(starter.hangs(sleeping));
    }

    @Test
    void reportsActivatorThatIgnoresInterrupts() throws Exception {
        Bundle deaf = install(activator(Deaf.class), Map.of());

        assertThrows(UnusablePluginException.class, () -> starter.start(deaf));

        await(() -> starter.hangs(deaf), "it does not heed interrupts");
    }

    /** A component may hang after its bundle is active; stopping the bundle then waits for it. */
    @Test
    void reportsActiveBundleWhoseComponentIgnoresInterrupts() throws Exception {
        offerRuntime((_, _, _) -> {
            new Deaf().start(framework.getBundleContext());
            return List.of();
        });
        Bundle bundle = install(Map.of(), Map.of());
        var impatient = new PluginStarter(framework.getBundleContext(), _ -> Duration.ofSeconds(1));
        impatient.start(bundle);
        assertFalse(impatient.hangs(bundle));

        var unusable = assertThrows(UnusablePluginException.class, () -> impatient.check(bundle));

        assertTrue(
                unusable.getMessage().startsWith("one of its components has not returned within 1 s"),
                unusable::getMessage);
        assertEquals(Bundle.ACTIVE, bundle.getState());
        assertTrue(impatient.hangs(bundle));
    }

    @Test
    void namesMissingActivator() throws Exception {
        Bundle bundle = install(Map.of(Constants.BUNDLE_ACTIVATOR, "acme.Absent"), Map.of());

        var unusable = assertThrows(UnusablePluginException.class, () -> starter.start(bundle));

        assertEquals("its activator acme.Absent is not in it", unusable.getMessage());
    }

    @Test
    void propagatesActivatorExceptions() throws Exception {
        Bundle throwing = install(activator(Throwing.class), Map.of());

        var failure = assertThrows(BundleException.class, () -> starter.start(throwing));

        assertEquals("no license", failure.getCause().getMessage());
    }

    @Test
    void acceptsValidComponents() throws Exception {
        Bundle sound = install(components("OSGI-INF/*.xml, " + XML), Map.of(XML, component(Throwing.class.getName())));
        starter.start(sound);
        assertDoesNotThrow(() -> starter.check(sound));

        Bundle another = install(components("OSGI-INF/none-*.xml"), Map.of());
        assertDoesNotThrow(() -> starter.check(another), "a pattern may match nothing");
    }

    @Test
    void namesMissingDescription() throws Exception {
        assertEquals(
                "its header Service-Component names OSGI-INF/none.xml, which is not in it",
                reason(components(XML + ",OSGI-INF/none.xml"), Map.of(XML, component(Throwing.class.getName()))));
    }

    @Test
    void namesMalformedDescription() throws Exception {
        String reason = reason(
                components(XML),
                Map.of(XML, "<scr:component xmlns:scr='http://www.osgi.org/xmlns/scr/v1.3.0'>\n<impl"));
        assertTrue(reason.startsWith("its component description " + XML + " cannot be read, line 2: "), reason);
    }

    @Test
    void rejectsDeepNestingAndDocumentTypes() throws Exception {
        String unreadable = "its component description " + XML + " cannot be read, ";
        assertEquals(
                unreadable + "its elements are nested more than 50 deep",
                reason(components(XML), Map.of(XML, "<a>".repeat(100_000))));
        String entities = "<!DOCTYPE a [<!ENTITY b 'bbbbbbbbbb'><!ENTITY c '&b;&b;&b;&b;'>]><a>&c;</a>";
        assertEquals(
                unreadable + "it has a document type, which no description needs",
                reason(components(XML), Map.of(XML, entities)));
    }

    @Test
    void namesDescriptionWithoutComponent() throws Exception {
        String expected = "its component description " + XML
                + " cannot be read, it describes no component with an implementation class";
        assertEquals(expected, reason(components(XML), Map.of(XML, "<component xmlns='http://example.org/other'/>")));
        assertEquals(expected, reason(components(XML), Map.of(XML, "<component name='acme'><service/></component>")));
    }

    @Test
    void namesMissingClass() throws Exception {
        assertEquals(
                "its component description " + XML + " names the class org.acme.Absent, which is not in it",
                reason(components(XML), Map.of(XML, component("org.acme.Absent"))));
    }

    @Test
    void checksAllComponentsOfFile() throws Exception {
        String both = "<all>" + component(Throwing.class.getName()) + component("org.acme.Absent") + "</all>";
        assertTrue(reason(components(XML), Map.of(XML, both)).contains("org.acme.Absent"));
    }

    @Test
    void rejectsComponentWithoutClassBesideAnother() throws Exception {
        String second = component("unused").replaceAll("<implementation.*/>", "");
        assertEquals(
                "its component description " + XML
                        + " cannot be read, only 1 of its 2 components have an implementation class",
                reason(
                        components(XML),
                        Map.of(XML, "<all>" + component(Throwing.class.getName()) + second + "</all>")));
    }

    @Test
    void namesComponentThatTheRuntimeDoesNotAccept() throws Exception {
        // As Felix SCR does with a wrong configuration-policy, a reference without an interface, or a name that comes
        // twice.
        var accepted = new ComponentDescriptionDTO();
        accepted.implementationClass = Throwing.class.getName();
        offerRuntime((_, method, _) ->
                method.getName().equals("getComponentDescriptionDTOs") ? List.of(accepted) : List.of());
        Map<String, String> entries =
                Map.of(XML, component(Throwing.class.getName()), "OSGI-INF/other.xml", component(Deaf.class.getName()));

        assertEquals(
                "the component runtime accepts 1 of its 2 components, not that of the class " + Deaf.class.getName()
                        + ": -Dds.loglevel=error in HIRUNDO_JAVA_OPTS shows why",
                reason(components("OSGI-INF/*.xml, " + XML), entries));
        Bundle sound = install(components("OSGI-INF/*.xml, " + XML), Map.of(XML, component(Throwing.class.getName())));
        sound.start();
        assertDoesNotThrow(() -> starter.check(sound));
    }

    @Test
    void rejectsInvalidLimit() {
        System.setProperty("hirundo.start.seconds", "soon");
        try {
            var rejected =
                    assertThrows(ConfigurationException.class, () -> new PluginStarter(framework.getBundleContext()));
            assertEquals(
                    "hirundo.start.seconds: 'soon' is wrong (allowed: whole seconds from 1 to 999999)",
                    rejected.getMessage());
        } finally {
            System.clearProperty("hirundo.start.seconds");
        }
    }

    private void offerRuntime(InvocationHandler handler) {
        ServiceComponentRuntime runtime = (ServiceComponentRuntime) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ServiceComponentRuntime.class}, handler);
        framework.getBundleContext().registerService(ServiceComponentRuntime.class, runtime, null);
    }

    private static boolean isEndless(Bundle bundle) {
        String activator = bundle.getHeaders("").get(Constants.BUNDLE_ACTIVATOR);
        return Sleeping.class.getName().equals(activator)
                || Deaf.class.getName().equals(activator);
    }

    private static void await(BooleanSupplier condition, String what) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, what);
            Thread.sleep(5);
        }
    }

    private String reason(Map<String, String> headers, Map<String, String> entries) throws Exception {
        Bundle bundle = install(headers, entries);
        starter.start(bundle);
        return assertThrows(UnusablePluginException.class, () -> starter.check(bundle))
                .getMessage();
    }

    private static String component(String implementation) {
        return "<scr:component xmlns:scr='http://www.osgi.org/xmlns/scr/v1.3.0' name='acme'><implementation class='"
                + implementation + "'/></scr:component>";
    }

    private static Map<String, String> components(String header) {
        return Map.of("Service-Component", header, Constants.IMPORT_PACKAGE, "org.osgi.framework");
    }

    private static Map<String, String> activator(Class<?> type) {
        return Map.of(Constants.BUNDLE_ACTIVATOR, type.getName(), Constants.IMPORT_PACKAGE, "org.osgi.framework");
    }

    /** Includes the activators above. */
    private Bundle install(Map<String, String> headers, Map<String, String> entries) throws Exception {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.putValue(Constants.BUNDLE_MANIFESTVERSION, "2");
        attributes.putValue(Constants.BUNDLE_SYMBOLICNAME, "acme-" + System.nanoTime());
        headers.forEach(attributes::putValue);
        var bytes = new ByteArrayOutputStream();
        try (var jar = new JarOutputStream(bytes, manifest)) {
            for (Class<?> type : new Class<?>[] {Sleeping.class, Deaf.class, Throwing.class}) {
                String entry = type.getName().replace('.', '/') + ".class";
                jar.putNextEntry(new JarEntry(entry));
                try (InputStream code = type.getClassLoader().getResourceAsStream(entry)) {
                    code.transferTo(jar);
                }
            }
            for (Map.Entry<String, String> entry : entries.entrySet()) {
                jar.putNextEntry(new JarEntry(entry.getKey()));
                jar.write(entry.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
        return framework
                .getBundleContext()
                .installBundle("test:" + System.nanoTime(), new ByteArrayInputStream(bytes.toByteArray()));
    }
}
