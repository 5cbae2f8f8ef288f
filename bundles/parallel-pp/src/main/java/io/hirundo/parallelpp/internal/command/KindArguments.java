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

/** A schedule on the command line. */
public final class KindArguments {
  private static final String CHUNKS = "chunks";

  @Option(names = "--kind", paramLabel = "NAME", defaultValue = "1f1b", description = "Which schedule; hirundo plugins lists them. Default: ${DEFAULT-VALUE}.")
  private String name;

  @Option(names = "--chunks", paramLabel = "N", converter = Whole.class, description = "Parts of the model on each rank, where the schedule leaves it open.")
  private Integer chunks;

  @Option(names = "--option", paramLabel = "NAME=VALUE", description = "Another option of the schedule, group=8 for instance. May be given often.")
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
      throw new ConfigurationException("--chunks is " + chunks + ", but the schedule " + name + " has " + schedule.chunks() + " on each rank");
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

  /** A number or a truth value where it looks like one, as in a configuration. */
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
