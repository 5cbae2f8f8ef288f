package io.hirundo.regress.internal.golden;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The environment in which results were computed.
 *
 * @param machine what determines the bits of a result: {@code processor}, {@code device} with its vector width, {@code java}
 * @param versions other information: {@code os}, and {@code bundle NAME} with version and digest
 */
public record Environment(SortedMap<String, String> machine, SortedMap<String, String> versions) {
    public Environment {
        machine = Collections.unmodifiableSortedMap(new TreeMap<>(machine));
        versions = Collections.unmodifiableSortedMap(new TreeMap<>(versions));
    }

    /** Whether results should be bitwise equal: the same kind of processor and vector width, and the same Java. */
    public boolean isSameMachineKind(Environment other) {
        return machine.equals(other.machine);
    }

    /** The differences in words, for example {@code java: 25 to 26}. Bundles are only counted. */
    public String difference(Environment now) {
        var words = new TreeMap<String, String>();
        compare(machine, now.machine, words);
        compare(versions, now.versions, words);
        long bundles = words.keySet().stream()
                .filter(name -> name.startsWith("bundle "))
                .count();
        words.keySet().removeIf(name -> name.startsWith("bundle "));
        if (bundles > 0) {
            words.put("bundles", bundles + " of other content");
        }
        return String.join(
                "; ",
                words.entrySet().stream()
                        .map(each -> each.getKey() + ": " + each.getValue())
                        .toList());
    }

    private static void compare(Map<String, String> was, Map<String, String> is, Map<String, String> words) {
        var names = new TreeSet<>(was.keySet());
        names.addAll(is.keySet());
        for (String name : names) {
            String before = was.getOrDefault(name, "none");
            String after = is.getOrDefault(name, "none");
            if (!before.equals(after)) {
                words.put(name, before + " to " + after);
            }
        }
    }
}
