package io.hirundo.lib.run.strategy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.data.Tokenizer;
import io.hirundo.lib.configuration.document.Documents;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.config.ConfigurationBinderTest;
import io.hirundo.lib.run.config.ConfiguredStrategy;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.testkit.strategy.InertStrategies;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StrategyResolverTest {
    private static final String ALL = ConfigurationBinderTest.SMALLEST
                    .replace("llama}", "llama, export: false}")
                    .replace("data: {", "data: {tokenizer: {name: huggingface, options: {prefix: a}}, ")
            + """
            evaluation: {watched: {plays: {name: blend, options: {parts: []}}, poems: {name: indexed, options: {prefix: b}}}}
            checkpoint: {store: folder}
            """;

    private final StrategyTable table = table();
    private final RunConfiguration configuration =
            new ConfigurationBinder(table).bind("c.yaml", Documents.parse("c.yaml", ALL, true), List.of());

    private static StrategyTable table() {
        var offers = new ArrayList<>(TestStrategies.table().offers());
        offers.add(TestStrategies.offer(
                "checkpoint-store", "folder", InertStrategies.factory(CheckpointStore.class, NoOptions.class)));
        return new StrategyTable(offers);
    }

    /** Creates from the table, and records it. */
    private final class Recorded implements StrategyRegistry {
        final List<String> paths = new ArrayList<>();
        final List<Object> strategies = new ArrayList<>();

        @Override
        public List<StrategyInfo> list() {
            return table.list();
        }

        @Override
        public <S> S create(Class<S> contract, Choice choice, String path) {
            S created = table.create(contract, choice, path);
            paths.add(path);
            strategies.add(created);
            return created;
        }
    }

    private static void collect(Object value, Set<Object> into) throws ReflectiveOperationException {
        switch (value) {
            case Optional<?> optional when optional.isPresent() -> collect(optional.get(), into);
            case Collection<?> all -> {
                for (Object each : all) {
                    collect(each, into);
                }
            }
            case Map<?, ?> map -> collect(map.values(), into);
            case Record record
            when record.getClass().getName().startsWith(Strategies.class.getName()) -> {
                for (RecordComponent component : record.getClass().getRecordComponents()) {
                    collect(component.getAccessor().invoke(record), into);
                }
            }
            case null -> {}
            default -> into.add(value);
        }
    }

    @Test
    void createsEachNamedStrategyOnceAndHoldsIt() throws ReflectiveOperationException {
        var registry = new Recorded();
        Strategies resolved = new StrategyResolver(registry, registry, _ -> null).resolve(configuration);
        assertEquals(
                ConfiguredStrategy.of(configuration).stream()
                        .map(ConfiguredStrategy::path)
                        .sorted()
                        .toList(),
                registry.paths.stream().sorted().toList());
        Set<Object> held = Collections.newSetFromMap(new IdentityHashMap<>());
        collect(resolved, held);
        var lost = new ArrayList<String>();
        for (int index = 0; index < registry.paths.size(); index++) {
            if (!held.contains(registry.strategies.get(index))) {
                lost.add(registry.paths.get(index));
            }
        }
        assertEquals(List.of(), lost);
        assertEquals(
                List.of("plays", "poems"), List.copyOf(resolved.data().watched().keySet()));
    }

    @Test
    void createsWhatMustBeClosedAfterEverythingThatCanBeRejected() {
        var registry = new Recorded();
        assertThrows(
                ConfigurationException.class,
                () -> new StrategyResolver(registry, registry, _ -> {
                            throw new ConfigurationException("no kernels");
                        })
                        .resolve(configuration));
        assertEquals(
                List.of(),
                registry.strategies.stream().filter(Tokenizer.class::isInstance).toList());
    }
}
