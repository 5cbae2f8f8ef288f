package io.hirundo.pluginnew.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The resources that projects are generated from: text with placeholders such as {@code __name__}. */
final class Templates {
    private static final Pattern PLACEHOLDER = Pattern.compile("__([A-Za-z.]+?)__");

    private Templates() {}

    /** The text of a resource, or empty if it does not exist. */
    static Optional<String> read(String path) {
        try (InputStream in = Templates.class.getResourceAsStream(path)) {
            return in == null ? Optional.empty() : Optional.of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("a resource of the bundle cannot be read: " + path, e);
        }
    }

    /** The text with its placeholders filled in. */
    static String fill(String text, Map<String, String> values) {
        return PLACEHOLDER.matcher(text).replaceAll(found -> {
            String value = values.get(found.group(1));
            if (value == null) {
                throw new IllegalStateException("a file of a project asks for " + found.group());
            }
            return Matcher.quoteReplacement(value);
        });
    }

    /** Versions of the build's dependencies, as {@code version.NAME}. */
    static Map<String, String> versions() {
        var properties = new Properties();
        try (InputStream in = Templates.class.getResourceAsStream("versions.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException("versions.properties cannot be read", e);
        }
        Map<String, String> versions = new HashMap<>();
        properties.stringPropertyNames().forEach(name -> versions.put("version." + name, properties.getProperty(name)));
        return versions;
    }
}
