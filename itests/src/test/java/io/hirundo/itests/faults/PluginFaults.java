package io.hirundo.itests.faults;

import static io.hirundo.itests.damage.FileFaults.content;
import static io.hirundo.itests.damage.JsonFaults.LONG_NAME;

import io.hirundo.itests.damage.Breakage;
import io.hirundo.itests.damage.FileFaults;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Jars in {@code plugins/}: before a training each must serve. The program that finds them there starts for each case. */
final class PluginFaults {
    private static final int CONFIGURATION = 78;
    private static final String MANIFEST = "META-INF/MANIFEST.MF";
    private static final String COMPONENT = "OSGI-INF/component.xml";

    private static final String GOOD_MANIFEST =
            "Manifest-Version: 1.0\nBundle-ManifestVersion: 2\nBundle-SymbolicName: acme\nService-Component: "
                    + COMPONENT + "\n";

    private static final String GOOD_COMPONENT = component("java.lang.Object");

    private PluginFaults() {}

    static void add(Zoo zoo, Originals originals) {
        String[] command = {
            "train", originals.configuration().resolve("run.json").toString(), "--set", "run.directory={}/runs"
        };
        var jar = zoo.reader("plugin jar", originals.program(), "home/plugins/acme.jar", CONFIGURATION, command)
                .alone();
        jar.addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign())
                .addAll(FileFaults.truncated(10, 50, 99));
        jar.add("no manifest", inside(MANIFEST, FileFaults.absent()));
        jar.add("empty manifest", inside(MANIFEST, FileFaults.empty()));
        jar.add(
                "manifest of random bytes",
                inside(MANIFEST, FileFaults.foreign().get("random bytes")));
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("activator that is not there", "Bundle-Activator: acme.Activator");
        headers.put("package that nobody exports", "Import-Package: com.nowhere");
        headers.put("another major version of the API", "Import-Package: io.hirundo.precision;version=\"[9,10)\"");
        headers.put("a header that cannot be parsed", "Import-Package: ;;;=");
        headers.put("component that is not there", "Service-Component: OSGI-INF/none.xml");
        headers.forEach((fault, header) -> jar.add(fault, inside(MANIFEST, content(withHeader(header)))));
        var component = zoo.reader(
                        "component description of a plugin",
                        originals.program(),
                        "home/plugins/acme.jar",
                        CONFIGURATION,
                        command)
                .alone();
        component.add("empty", inside(COMPONENT, FileFaults.empty()));
        FileFaults.foreign().forEach((fault, breakage) -> {
            if (!fault.equals("empty")) {
                component.add(fault, inside(COMPONENT, breakage));
            }
        });
        component.add(
                "first 50 %",
                inside(COMPONENT, FileFaults.truncated(50).values().iterator().next()));
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("class that is not there", component("acme.Absent"));
        texts.put("class of 5,000 characters", component(LONG_NAME));
        texts.put("control characters", component("a&#10;b&#9;c") + "<!-- \u001b[31m -->");
        texts.put("entity of a file", "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>" + component("&x;"));
        texts.put("no component", "<a/>");
        texts.put(
                "a second component that the runtime does not accept",
                "<all>" + GOOD_COMPONENT
                        + component("java.lang.Object").replace("name=", "configuration-policy=\"sometimes\" name=")
                        + "</all>");
        texts.forEach((fault, text) -> component.add(fault, inside(COMPONENT, content(text))));
    }

    private static String component(String implementation) {
        return "<scr:component xmlns:scr=\"http://www.osgi.org/xmlns/scr/v1.3.0\" name=\"acme\"><implementation class=\""
                + implementation + "\"/></scr:component>";
    }

    /** The last header of the manifest is that one. */
    private static String withHeader(String header) {
        String name = header.substring(0, header.indexOf(':'));
        String rest = GOOD_MANIFEST
                .lines()
                .filter(line -> !line.startsWith(name + ":"))
                .reduce("", (all, line) -> all + line + "\n");
        return rest + header + "\n";
    }

    private static Breakage inside(String entry, Breakage breakage) {
        return jar -> {
            try (FileSystem zip = FileSystems.newFileSystem(jar)) {
                breakage.apply(zip.getPath(entry));
            }
        };
    }

    /** A program of links to the built one, with a plugin of its own. */
    static void makeProgram(Path folder, Path distro) throws IOException {
        Path home = Files.createDirectories(folder.resolve("home"));
        Originals.copy(distro.resolve("bin"), home.resolve("bin"));
        for (String part : new String[] {"conf", "profiles", "repository"}) {
            Files.createSymbolicLink(home.resolve(part), distro.resolve(part));
        }
        Path jar = Files.createDirectory(home.resolve("plugins")).resolve("acme.jar");
        try (var zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (var entry :
                    Map.of(MANIFEST, GOOD_MANIFEST, COMPONENT, GOOD_COMPONENT).entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
    }
}
