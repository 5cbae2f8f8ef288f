package io.hirundo.itests.architecture;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** How the packages of a bundle stand on each other: cycles, and floors. */
final class PackageGraph {
    private final Map<String, Set<String>> uses;

    /** {@code uses}: for each package those that it uses. */
    PackageGraph(Map<String, Set<String>> uses) {
        this.uses = uses;
    }

    /** A line for each largest group of packages of which every one reaches every other: their names, in order. */
    Set<String> groups() {
        var groups = new TreeSet<String>();
        for (String start : uses.keySet()) {
            var group = new TreeSet<String>();
            for (String other : reachedFrom(start)) {
                if (reachedFrom(other).contains(start)) {
                    group.add(other);
                }
            }
            if (group.size() > 1) {
                groups.add(String.join(" ", group));
            }
        }
        return groups;
    }

    /** The number of packages in the longest chain of which each uses the next; packages that reach each other count once. */
    int floors() {
        return uses.keySet().stream().mapToInt(this::floor).max().orElse(0);
    }

    /** The length of the longest such chain from a package down. */
    int floor(String name) {
        return 1
                + reachedFrom(name).stream()
                        .filter(used -> !reachedFrom(used).contains(name))
                        .mapToInt(this::floor)
                        .max()
                        .orElse(0);
    }

    /** What a package uses, directly or through others. */
    Set<String> reachedFrom(String start) {
        var reached = new TreeSet<String>();
        Deque<String> open = new ArrayDeque<>(Set.of(start));
        while (!open.isEmpty()) {
            for (String next : uses.getOrDefault(open.pop(), Set.of())) {
                if (reached.add(next)) {
                    open.push(next);
                }
            }
        }
        return reached;
    }
}
