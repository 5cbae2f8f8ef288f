package io.hirundo.parallelpp.internal.command;

import io.hirundo.ConfigurationException;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options that choose a schedule. */
public final class KindArguments {
    private static final String CHUNKS = "chunks";

    @Option(
            names = "--kind",
            paramLabel = "NAME",
            defaultValue = "1f1b",
            description = "Schedule; hirundo plugins lists them. Default: ${DEFAULT-VALUE}.")
    private String name;

    @Option(
            names = "--chunks",
            paramLabel = "N",
            converter = PositiveCount.class,
            description = "Model chunks (virtual stages) per rank, if the schedule has that option.")
    private Integer chunks;

    @Option(
            names = "--option",
            paramLabel = "NAME=VALUE",
            description = "Another option of the schedule, for example group=8. Repeatable.")
    private Map<String, String> options = Map.of();

    String name() {
        return name;
    }

    PipelineSchedule schedule(StrategyRegistry registry) {
        Map<String, Object> values = new LinkedHashMap<>();
        options.forEach((key, text) -> values.put(key, value(text)));
        if (chunks != null && isOpen(registry)) {
            values.put(CHUNKS, chunks);
        }
        var schedule = registry.create(PipelineSchedule.class, new Choice(name, values), "--kind");
        if (chunks != null && schedule.chunks() != chunks) {
            throw new ConfigurationException(
                    "--chunks: " + chunks + " is wrong (allowed for schedule " + name + ": " + schedule.chunks() + ")");
        }
        return schedule;
    }

    private boolean isOpen(StrategyRegistry registry) {
        return registry.list().stream()
                .filter(info -> info.kind().equals("schedule") && info.name().equals(name))
                .flatMap(info -> Arrays.stream(info.optionsType().getRecordComponents()))
                .map(RecordComponent::getName)
                .anyMatch(CHUNKS::equals);
    }

    /** Parses numbers and booleans as a configuration does; anything else is text. */
    private static Object value(String text) {
        if (text.matches("-?\\d{1,18}")) {
            return Long.valueOf(text);
        }
        if (text.matches("-?\\d+\\.\\d+")) {
            return Double.valueOf(text);
        }
        return text.equals("true") || text.equals("false") ? Boolean.valueOf(text) : text;
    }
}
