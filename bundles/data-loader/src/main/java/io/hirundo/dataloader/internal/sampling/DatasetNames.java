package io.hirundo.dataloader.internal.sampling;

import io.hirundo.ConfigurationException;
import io.hirundo.data.DataCursor;
import io.hirundo.dataloader.internal.indexed.DatasetFiles;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Tells whether two prefixes name the same dataset: {@code a}, {@code ./a} and a symbolic link to it do. */
final class DatasetNames {
    private DatasetNames() {}

    private static Path real(String prefix) {
        Path tokens = new DatasetFiles(Path.of(prefix)).tokens();
        try {
            return tokens.toRealPath();
        } catch (IOException missing) {
            // Whoever opens it says so. Two missing datasets of the same name are still the same.
            return tokens.toAbsolutePath().normalize();
        }
    }

    /** @throws ConfigurationException if a dataset is there twice: both would read the same samples, at the same places */
    static void requireDistinct(List<WeightedPrefix> blend) {
        var seen = new HashMap<Path, String>();
        for (WeightedPrefix one : blend) {
            String other = seen.put(real(one.prefix()), one.prefix());
            if (other != null) {
                throw new ConfigurationException("blend: " + other
                        + (other.equals(one.prefix())
                                ? " is there twice"
                                : " and " + one.prefix() + " are the same dataset")
                        + "; name it once, with the sum of the weights");
            }
        }
    }

    /** The cursor with the names that the blend has for its datasets, which may be spelled otherwise in the cursor. */
    static DataCursor respell(DataCursor from, List<WeightedPrefix> blend) {
        var names = new HashMap<Path, String>();
        blend.forEach(one -> names.put(real(one.prefix()), one.prefix()));
        Map<String, DataCursor.Part> parts = new LinkedHashMap<>();
        // Versions that took two spellings for two datasets may have saved both.
        from.parts()
                .forEach((name, part) -> parts.merge(
                        spelling(name, names), part, (one, other) -> one.read() >= other.read() ? one : other));
        return new DataCursor(from.sample(), parts);
    }

    private static String spelling(String name, Map<Path, String> names) {
        try {
            return names.getOrDefault(real(name), name);
        } catch (InvalidPathException e) {
            // A part of another source, whose names need not be paths.
            return name;
        }
    }
}
