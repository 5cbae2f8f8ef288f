package io.hirundo.devicecuda.internal.compile;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A kernel file of this bundle.
 *
 * @param name without {@code .cu}
 * @param headers directly and indirectly included headers, by name
 */
public record KernelSource(String name, String text, SortedMap<String, String> headers) {
    private static final String FOLDER = "/cuda/sm90/";
    private static final Pattern INCLUDE = Pattern.compile("(?m)^#include \"(.+)\"");

    public static KernelSource of(String name) {
        String text = read(name + ".cu");
        var headers = new TreeMap<String, String>();
        collect(text, headers);
        return new KernelSource(name, text, headers);
    }

    private static void collect(String text, SortedMap<String, String> headers) {
        for (Matcher include = INCLUDE.matcher(text); include.find(); ) {
            String header = include.group(1);
            if (!headers.containsKey(header)) {
                headers.put(header, read(header));
                collect(headers.get(header), headers);
            }
        }
    }

    String fileName() {
        return name + ".cu";
    }

    private static String read(String file) {
        try (InputStream in = KernelSource.class.getResourceAsStream(FOLDER + file)) {
            if (in == null) {
                throw new IllegalStateException("the bundle device-cuda has no " + FOLDER + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
