package io.hirundo.lib.run.config;

import io.hirundo.lib.run.change.Changeable;
import io.hirundo.lib.run.change.RunPart;
import io.hirundo.strategy.Choice;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Optional;

/** Which settings may change during a run, and what that affects: what {@link Changeable} says in the records of a configuration. */
public final class ChangeableSettings {
    private ChangeableSettings() {}

    /**
     * The part of a run that a change affects; empty for a setting that is fixed when the run starts.
     *
     * @param path of a section, a setting, an element ({@code monitors[0]}) or an option of a strategy
     */
    public static Optional<RunPart> part(String path) {
        Optional<RunPart> part = Optional.empty();
        Class<?> type = RunConfiguration.class;
        for (String name : path.split("[.\\[]")) {
            RecordComponent component = component(type, name);
            if (component == null) {
                // An element, an option, or no setting at all: what encloses it decides.
                return part;
            }
            Changeable changeable = component.getAnnotation(Changeable.class);
            part = changeable == null ? part : Optional.of(changeable.value());
            type = component.getType();
        }
        return part;
    }

    private static RecordComponent component(Class<?> type, String name) {
        return !type.isRecord() || type == Choice.class
                ? null
                : Arrays.stream(type.getRecordComponents())
                        .filter(component -> component.getName().equals(name))
                        .findFirst()
                        .orElse(null);
    }
}
