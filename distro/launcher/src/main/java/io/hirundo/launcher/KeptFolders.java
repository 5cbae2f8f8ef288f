package io.hirundo.launcher;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Temporary folders that this process could not remove: its own, and those of killed processes. They are reported together when the
 * process ends, because one cause keeps all of them, a file system that allows no deletion for instance.
 */
final class KeptFolders {
    private final Map<Path, IOException> reasons = new TreeMap<>();

    synchronized void add(Path folder, IOException reason) {
        reasons.put(folder, reason);
    }

    /** One line with the first folder, its reason, the number of the others, and the remedy; empty if there is none. */
    synchronized Optional<String> line() {
        return reasons.entrySet().stream().findFirst().map(first -> {
            int others = reasons.size() - 1;
            String more = others == 0 ? "" : " and " + others + " more";
            return "could not remove the temporary folder " + first.getKey() + more + " ("
                    + Printed.reason(first.getValue()) + "); remove " + (others == 0 ? "it" : "them")
                    + " by hand, or set TMPDIR to another folder";
        });
    }
}
