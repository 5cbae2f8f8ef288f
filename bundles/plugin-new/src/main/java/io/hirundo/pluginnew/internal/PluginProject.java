package io.hirundo.pluginnew.internal;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A project that builds one plugin.
 *
 * @param name of the plugin, for example {@code acme-fp32}
 * @param kind of plugin
 * @param packageName of its classes; also its bundle's symbolic name
 * @param home of the Hirundo installation that it is for
 */
record PluginProject(String name, PluginKind kind, String packageName, Path home) {
    private static final String PROJECT = "project/";

    /** Prefix of its class names, for example {@code AcmeFp32}. */
    String classPrefix() {
        return Arrays.stream(name.split("-"))
                .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
                .collect(Collectors.joining());
    }

    /** Its files: contents by path in the project. */
    Map<String, String> files() {
        Map<String, String> values = values();
        Map<String, String> files = new TreeMap<>();
        for (String file : new String[] {"pom.xml", "bnd.bnd", "README.md"}) {
            files.put(file, Templates.fill(resource(file), values));
        }
        // Not .gitignore: resource-copying tools skip such files.
        files.put(".gitignore", resource("gitignore"));
        for (String file : new String[] {"jvm.config", "maven.config"}) {
            files.put(".mvn/" + file, resource(file));
        }
        for (String end : kind.classes()) {
            String folder = end.endsWith("Test") ? "src/test/java/" : "src/main/java/";
            String text = resource(kind.word() + "/__Name__" + end + ".java");
            files.put(
                    folder + packageName.replace('.', '/') + "/" + classPrefix() + end + ".java",
                    Templates.fill(text, values));
        }
        return files;
    }

    private Map<String, String> values() {
        Map<String, String> values = new HashMap<>(Templates.versions());
        values.put("name", name);
        values.put("Name", classPrefix());
        values.put("kind", kind.word());
        values.put("package", packageName);
        values.put("what", kind.what());
        values.put("oneOf", kind.oneOf());
        values.put("home", home.toString());
        values.put("home.xml", home.toString().replace("&", "&amp;").replace("<", "&lt;"));
        for (String part : new String[] {"use", "change"}) {
            values.put(part, Templates.fill(resource(kind.word() + "/" + part + ".md"), values));
        }
        String dependencies =
                Templates.read(PROJECT + kind.word() + "/dependencies.xml").orElse("");
        values.put("dependencies", Templates.fill(dependencies, values));
        return values;
    }

    private static String resource(String path) {
        return Templates.read(PROJECT + path)
                .orElseThrow(() -> new IllegalStateException("the bundle lacks its resource " + path));
    }
}
