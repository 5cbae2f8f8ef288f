package io.hirundo.lib.run.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.lib.configuration.binding.ChoiceResolver;
import io.hirundo.lib.configuration.document.Documents;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConfiguredStrategyTest {
    private static final String ALL = ConfigurationBinderTest.SMALLEST
                    .replace("model: {", "model: {exportFormat: torch, ")
                    .replace("data: {", "data: {tokenizer: huggingface, ")
            + """
            evaluation: {watched: {poems: indexed}}
            checkpoint: {store: folder}
            monitors: [console]
            """;

    private static RunConfiguration bind(String yaml) {
        return new ConfigurationBinder(ChoiceResolver.unchecked())
                .bind("c.yaml", Documents.parse("c.yaml", yaml, true), List.of());
    }

    /** Path and contract of each component that names strategies. */
    private static Stream<String> declared(Class<?> section, String prefix) {
        return Stream.of(section.getRecordComponents()).flatMap(component -> {
            String path = prefix + component.getName();
            return component.isAnnotationPresent(ChoiceOf.class)
                    ? Stream.of(path + " " + contract(component))
                    : component.getType().isRecord() && component.getType() != Choice.class
                            ? declared(component.getType(), path + ".")
                            : Stream.of();
        });
    }

    private static String contract(RecordComponent component) {
        return component.getAnnotation(ChoiceOf.class).value().getSimpleName();
    }

    @Test
    void findsEachKindThatSectionsDeclare() {
        List<String> found = ConfiguredStrategy.of(bind(ALL)).stream()
                .map(strategy -> strategy.path().replace("[0]", "").replace(".poems", "") + " "
                        + strategy.contract().getSimpleName())
                .toList();
        assertEquals(declared(RunConfiguration.class, "").toList(), found);
    }

    @Test
    void numbersListsAndNamesEntries() {
        var paths = new ArrayList<String>();
        ConfiguredStrategy.of(bind(ALL.replace("[console]", "[console, {name: jsonl, options: {a: {name: b}}}]")
                        .replace("poems: indexed", "poems: indexed, plays: indexed")))
                .forEach(strategy ->
                        paths.add(strategy.path() + "=" + strategy.choice().name()));
        assertEquals(
                List.of(
                        "evaluation.watched.poems=indexed",
                        "evaluation.watched.plays=indexed",
                        "checkpoint.strategy=sync",
                        "checkpoint.store=folder",
                        "monitors[0]=console",
                        "monitors[1]=jsonl"),
                paths.subList(paths.size() - 6, paths.size()));
    }

    @Test
    void leavesOutKindsWithoutAChoice() {
        assertEquals(
                List.of("data.source"),
                ConfiguredStrategy.of(bind(ConfigurationBinderTest.SMALLEST)).stream()
                        .map(ConfiguredStrategy::path)
                        .filter(path -> path.startsWith("data.") || path.equals("checkpoint.store"))
                        .toList());
    }
}
