package io.hirundo.lib.run.strategy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import io.hirundo.data.DataSource;
import io.hirundo.device.ComputeBackend;
import io.hirundo.lib.configuration.binding.Problems;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.testkit.strategy.InertStrategies;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StrategyTableTest {
    private final StrategyTable table = TestStrategies.table();

    private String failure(Class<?> contract, Choice choice) {
        return assertThrows(ConfigurationException.class, () -> table.create(contract, choice, "x"))
                .getMessage();
    }

    @Test
    void createsAStrategyWithItsOptions() {
        var rate = table.create(LearningRateSchedule.class, new Choice("cosine", Map.of("peak", 0.5)), "learningRate");
        assertEquals("Rate[peak=0.5, warmupSteps=10]", rate.toString());
        assertEquals(
                "NoOptions[]",
                table.create(ComputeBackend.class, Choice.of("cpu"), "device").toString());
    }

    @Test
    void rejectsUnknownNamesAndListsTheInstalledOnes() {
        assertEquals(
                "x: \"cosin\" is unknown; did you mean \"cosine\"? allowed: constant, cosine",
                failure(LearningRateSchedule.class, Choice.of("cosin")));
        assertEquals("x: \"mps\" is unknown; allowed: cpu, meta", failure(ComputeBackend.class, Choice.of("mps")));
        assertEquals(
                "x: \"cosine\" is unknown here, it is a strategy of kind learning-rate; allowed: cpu, meta",
                failure(ComputeBackend.class, Choice.of("cosine")));
        assertEquals(
                "x: \"a\" is unknown; no bundle of this profile offers a Runnable",
                failure(Runnable.class, Choice.of("a")));
    }

    @Test
    void checksOptions() {
        assertEquals(
                "x.options.peak: 2 is too large; allowed: a number above 0 and at most 1",
                failure(LearningRateSchedule.class, new Choice("cosine", Map.of("peak", 2))));
        assertEquals(
                "x.options.pek: unknown key; did you mean \"peak\"? allowed: peak, warmupSteps",
                failure(LearningRateSchedule.class, new Choice("cosine", Map.of("pek", 2))));
        assertEquals(
                "x.options.worker: unknown key; none is allowed here",
                failure(ComputeBackend.class, new Choice("cpu", Map.of("worker", 2))));
        assertEquals(
                "x.options.prefix: missing: Path without the ending; allowed: text",
                failure(DataSource.class, Choice.of("indexed")));
        assertEquals(
                "x.options: peak cannot be an eighth",
                failure(LearningRateSchedule.class, new Choice("cosine", Map.of("peak", 0.125))));
    }

    @Test
    void reportsTheRejectionOfAFactoryWithItsPath() {
        StrategyTable rejecting = StrategyTable.of(new Offer("device", "bad", "test", new Rejecting()));
        var failure = assertThrows(
                ConfigurationException.class, () -> rejecting.create(ComputeBackend.class, Choice.of("bad"), "device"));
        assertEquals("device: peak and warmupSteps do not fit", failure.getMessage());
    }

    private static final class Rejecting implements StrategyFactory<InertStrategies.Rate, ComputeBackend> {
        @Override
        public ComputeBackend create(InertStrategies.Rate options) {
            throw new ConfigurationException("peak and warmupSteps do not fit");
        }
    }

    @Test
    void resolvesDefaultOptions() {
        Problems problems = new Problems();
        Choice blend = new Choice(
                "blend", Map.of("parts", List.of(Map.of("name", "indexed", "options", Map.of("prefix", "p")))));
        Choice resolved = table.resolve(DataSource.class, blend, "data.source", problems);
        problems.throwIfAny("");
        assertEquals(
                new Choice(
                        "blend",
                        Map.of(
                                "parts",
                                List.of(Map.of("name", "indexed", "options", Map.of("prefix", "p", "part", "all"))),
                                "seed",
                                7)),
                resolved);
        assertEquals(resolved, table.resolve(DataSource.class, resolved, "data.source", problems));
    }

    @Test
    void reportsErrorsInNestedChoices() {
        Choice blend = new Choice("blend", Map.of("parts", List.of("indexed", "indxed")));
        Problems problems = new Problems();
        assertEquals(blend, table.resolve(DataSource.class, blend, "data.source", problems));
        assertEquals(
                """
        2 settings are wrong
          data.source.options.parts[0].options.prefix: missing: Path without the ending; allowed: text
          data.source.options.parts[1]: "indxed" is unknown; did you mean "indexed"? allowed: blend, indexed\
        """,
                assertThrows(ConfigurationException.class, () -> problems.throwIfAny(""))
                        .getMessage());
    }

    @Test
    void listsStrategiesByKindAndName() {
        assertEquals(
                List.of("architecture llama", "checkpoint sync", "context-parallel ring", "data blend", "data indexed"),
                table.list().stream()
                        .limit(5)
                        .map(info -> info.kind() + " " + info.name())
                        .toList());
        assertEquals(
                new StrategyInfo("data", "blend", "test 1.0.0", InertStrategies.Blend.class),
                table.list().get(3));
    }
}
