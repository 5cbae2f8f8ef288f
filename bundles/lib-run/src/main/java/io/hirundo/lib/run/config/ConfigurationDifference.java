package io.hirundo.lib.run.config;

import io.hirundo.lib.configuration.document.JsonText;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Settings in which two configurations differ: {@code precision}, {@code mesh.schedule}. A choice counts as one setting.
 *
 * @param changes what each was and is
 */
public record ConfigurationDifference(List<Change> changes) {
    /** Sections and single settings that may change during a run. */
    private static final Set<String> CHANGEABLE = Set.of(
            "precision",
            "optimizer",
            "learningRate",
            "monitors",
            "mesh.schedule",
            "mesh.tensorParallel",
            "mesh.contextParallel",
            "mesh.dataParallel",
            "training.recompute",
            "training.clipNorm",
            "data.source",
            "evaluation",
            "checkpoint",
            "swap");

    /** Sections that do not affect the loss. */
    private static final Set<String> ONLY_LOOK_ON = Set.of("monitors", "evaluation", "checkpoint", "swap");

    /**
     * One setting.
     *
     * @param path in the configuration
     * @param from its value as JSON
     * @param to its new value
     */
    public record Change(String path, String from, String to) {
        @Override
        public String toString() {
            return path + ": " + from + " to " + to;
        }

        private boolean isPossible() {
            return mayChange(path);
        }
    }

    public ConfigurationDifference {
        changes = List.copyOf(changes);
    }

    public static ConfigurationDifference between(RunConfiguration present, RunConfiguration next) {
        var changes = new ArrayList<Change>();
        compare("", ConfigurationBinder.values(present), ConfigurationBinder.values(next), changes);
        return new ConfigurationDifference(changes);
    }

    private static void compare(String prefix, Map<?, ?> from, Map<?, ?> to, List<Change> changes) {
        Set<Object> names = new LinkedHashSet<>(from.keySet());
        names.addAll(to.keySet());
        for (Object name : names) {
            Object was = from.get(name);
            Object is = to.get(name);
            boolean section = prefix.isEmpty() && was instanceof Map<?, ?> map && !map.containsKey("options");
            if (section && is instanceof Map<?, ?> other) {
                compare(name + ".", (Map<?, ?>) was, other, changes);
            } else if (!Objects.equals(was, is)) {
                changes.add(new Change(prefix + name, JsonText.compact(was), JsonText.compact(is)));
            }
        }
    }

    /** Whether a setting, or an option of a choice, may change during a run. */
    public static boolean mayChange(String path) {
        return CHANGEABLE.stream().anyMatch(changeable -> path.equals(changeable) || path.startsWith(changeable + "."));
    }

    /** Whether a change can affect later losses. */
    public boolean touchesLearning() {
        return changes.stream()
                .anyMatch(change -> !ONLY_LOOK_ON.contains(change.path().split("\\.")[0]));
    }

    /** Settings that cannot change during a run. */
    public List<String> impossible() {
        return changes.stream()
                .filter(change -> !change.isPossible())
                .map(Change::path)
                .toList();
    }
}
