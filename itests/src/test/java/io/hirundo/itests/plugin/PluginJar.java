package io.hirundo.itests.plugin;

import io.hirundo.event.TrainingListener;
import io.hirundo.itests.program.Program;
import io.hirundo.strategy.StrategyFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.example.acme.AcmeFactory;
import org.example.acme.Metronome;

/** A plugin jar of a third party, assembled by hand with only the requested contents. */
public final class PluginJar {
    /** Path of its component description. */
    public static final String COMPONENT = "OSGI-INF/component.xml";

    private static final List<String> CODE = List.of(
            "AcmeFactory",
            "AcmeFactory$Unlicensed",
            "AcmeFactory$Transposed",
            "AcmeFactory$Tripping",
            "AcmePrecision",
            "AcmePrecision$Fault",
            "AcmePrecision$Weight",
            "AcmePrecision$Products",
            "Metronome");

    private final Manifest manifest = new Manifest();
    private final Map<String, byte[]> entries = new LinkedHashMap<>();

    /** A jar of only a manifest. */
    public PluginJar(String symbolicName, String version) {
        header(Attributes.Name.MANIFEST_VERSION.toString(), "1.0");
        header("Bundle-ManifestVersion", "2");
        header("Bundle-SymbolicName", symbolicName);
        header("Bundle-Version", version);
    }

    /** A jar with a precision of this name and a factory of {@code org.example.acme}. */
    public static PluginJar precision(String symbolicName, String version, String name, Class<?> factory) {
        return new PluginJar(symbolicName, version)
                .component(
                        factory,
                        StrategyFactory.class,
                        "<property name=\"hirundo.kind\" value=\"precision\"/><property name=\"hirundo.name\" value=\""
                                + name + "\"/>");
    }

    /** Adds a listener to this program that makes the steps of its trainings slow. */
    public static void slowSteps(Program program) throws IOException {
        new PluginJar("metronome", "1.0.0")
                .component(Metronome.class, TrainingListener.class, "")
                .drop(program.plugin("metronome.jar"));
    }

    private PluginJar component(Class<?> implementation, Class<?> service, String properties) {
        CODE.forEach(name -> code(AcmeFactory.class.getPackageName() + "." + name));
        header("Service-Component", COMPONENT);
        header(
                "Import-Package",
                String.join(
                                ";version=\"[0.27,1)\",",
                                "io.hirundo.device",
                                "io.hirundo.event",
                                "io.hirundo.kernel",
                                "io.hirundo.precision",
                                "io.hirundo.strategy",
                                "io.hirundo.tensor")
                        + ";version=\"[0.27,1)\"");
        return description(COMPONENT, implementation, service, properties);
    }

    private PluginJar description(String path, Class<?> implementation, Class<?> service, String properties) {
        return text(
                path,
                "<scr:component xmlns:scr=\"http://www.osgi.org/xmlns/scr/v1.3.0\" name=\"" + implementation.getName()
                        + "\">" + properties
                        + "<service><provide interface=\"" + service.getName()
                        + "\"/></service><implementation class=\""
                        + implementation.getName() + "\"/></scr:component>");
    }

    /** Adds a strategy, and the class of its factory. */
    PluginJar strategy(Class<?> factory, String kind, String name) {
        String path = "OSGI-INF/" + name + ".xml";
        String components = manifest.getMainAttributes().getValue("Service-Component");
        header("Service-Component", components == null ? path : components + "," + path);
        return code(factory.getName())
                .description(
                        path,
                        factory,
                        StrategyFactory.class,
                        "<property name=\"hirundo.kind\" value=\"" + kind
                                + "\"/><property name=\"hirundo.name\" value=\"" + name + "\"/>");
    }

    /** Adds or replaces a header of the manifest. */
    public PluginJar header(String name, String value) {
        manifest.getMainAttributes().putValue(name, value);
        return this;
    }

    /** Adds or replaces a file. */
    public PluginJar text(String path, String content) {
        entries.put(path, content.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /** Adds an activator. */
    public PluginJar activator(Class<?> activator) {
        return header("Bundle-Activator", activator.getName())
                .header("Import-Package", "org.osgi.framework")
                .code(activator.getName());
    }

    /** Removes a class. */
    public PluginJar without(Class<?> type) {
        entries.remove(type.getName().replace('.', '/') + ".class");
        return this;
    }

    /** Adds a class of the test. */
    public PluginJar code(String className) {
        String path = className.replace('.', '/') + ".class";
        try (InputStream in = PluginJar.class.getClassLoader().getResourceAsStream(path)) {
            entries.put(path, in.readAllBytes());
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The contents of the jar file. */
    public byte[] bytes() throws IOException {
        var out = new ByteArrayOutputStream();
        try (var jar = new JarOutputStream(out, manifest)) {
            for (var entry : entries.entrySet()) {
                jar.putNextEntry(new JarEntry(entry.getKey()));
                jar.write(entry.getValue());
            }
        }
        return out.toByteArray();
    }

    /** Copies another bundle's jar with another value of a header. */
    public static byte[] changed(Path jar, String header, UnaryOperator<String> change) throws IOException {
        try (JarFile from = new JarFile(jar.toFile())) {
            Manifest manifest = new Manifest(from.getManifest());
            manifest.getMainAttributes()
                    .putValue(header, change.apply(manifest.getMainAttributes().getValue(header)));
            var out = new ByteArrayOutputStream();
            try (var to = new JarOutputStream(out, manifest)) {
                for (JarEntry entry : (Iterable<JarEntry>)
                        from.stream().filter(each -> !each.getName().equals(JarFile.MANIFEST_NAME))::iterator) {
                    to.putNextEntry(new JarEntry(entry.getName()));
                    from.getInputStream(entry).transferTo(to);
                }
            }
            return out.toByteArray();
        }
    }

    /** Writes the jar atomically, replacing an existing file. */
    public void drop(Path jar) throws IOException {
        drop(bytes(), jar);
    }

    public static void drop(byte[] content, Path jar) throws IOException {
        Path part = jar.resolveSibling(jar.getFileName() + ".part");
        Files.write(part, content);
        Files.move(part, jar, StandardCopyOption.ATOMIC_MOVE);
    }
}
