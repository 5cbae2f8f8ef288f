package io.hirundo.lib.run.strategy;

import io.hirundo.lib.run.change.RunPart;
import io.hirundo.lib.run.config.ChangeableSettings;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The parts of a run that a change of strategies and settings affects. */
public record StrategyDifference(Set<RunPart> parts) {
    public StrategyDifference {
        parts = Set.copyOf(parts);
    }

    /** The difference if what is at these paths of the configuration is replaced or gone. */
    public static StrategyDifference of(Collection<String> paths) {
        return new StrategyDifference(paths.stream()
                .map(ChangeableSettings::part)
                .flatMap(Optional::stream)
                .collect(Collectors.toSet()));
    }

    public boolean affects(RunPart part) {
        return parts.contains(part);
    }

    /** Whether blocks must be rebuilt. */
    public boolean blocks() {
        return affects(RunPart.PRECISION) || affects(RunPart.LAYOUT);
    }

    /** Whether training or validation data must be opened again. */
    public boolean data() {
        return affects(RunPart.TRAINING_DATA) || affects(RunPart.EVALUATION_DATA);
    }
}
