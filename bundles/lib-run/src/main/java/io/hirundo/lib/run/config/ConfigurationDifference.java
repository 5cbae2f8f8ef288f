package io.hirundo.lib.run.config;

import io.hirundo.lib.configuration.document.JsonText;
import io.hirundo.lib.run.change.RunPart;
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

    /** Whether a change can affect later losses. */
    public boolean touchesLearning() {
        return changes.stream()
                .anyMatch(change -> ChangeableSettings.part(change.path())
                        .map(RunPart::affectsLoss)
                        .orElse(true));
    }

    /** Settings that cannot change during a run. */
    public List<String> impossible() {
        return changes.stream()
                .map(Change::path)
                .filter(path -> ChangeableSettings.part(path).isEmpty())
                .toList();
    }
}
