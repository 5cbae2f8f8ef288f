package io.hirundo.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The bundles of one run.
 *
 * @param jars of the profile
 * @param plugins jars in {@code plugins/}
 */
record Profile(List<Path> jars, List<Path> plugins) {
    static Profile read(Path home, String name) throws IOException, LaunchException {
        Path profiles = home.resolve("profiles");
        List<String> names = names(home);
        if (!names.contains(name)) {
            throw new LaunchException(
                    "there is no profile '" + name + "' in " + profiles + " (allowed: " + names + ")");
        }
        // Use the folder's name as FileInstall does, so that it recognizes the installed bundles.
        Path plugins = home.resolve("plugins");
        List<Path> dropped = jarsIn(Files.isDirectory(plugins) ? plugins.toRealPath() : plugins);
        return new Profile(jarsIn(profiles.resolve(name)), dropped);
    }

    /** The installed profiles, in alphabetical order. */
    static List<String> names(Path home) throws IOException {
        Path profiles = home.resolve("profiles");
        if (!Files.isDirectory(profiles)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(profiles)) {
            return entries.filter(Files::isDirectory)
                    .map(p -> p.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    private static List<Path> jarsIn(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(p -> p.toString().endsWith(".jar")).sorted().toList();
        }
    }
}
