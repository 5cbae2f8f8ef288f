package io.hirundo.regress.internal.set;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One training run of a set.
 *
 * @param name unique in the set
 * @param configuration base configuration file
 * @param assignments {@code PATH=VALUE} overrides of the configuration
 * @param comparedWith a case of the set with the expected result
 */
public record RegressCase(String name, Path configuration, List<String> assignments, Optional<Peer> comparedWith) {
    public RegressCase {
        assignments = List.copyOf(assignments);
    }

    /**
     * Another case of the set.
     *
     * @param name name of the case
     * @param bitwise whether results must be bitwise equal; otherwise differences within the rounding noise are allowed
     */
    public record Peer(String name, boolean bitwise) {}
}
