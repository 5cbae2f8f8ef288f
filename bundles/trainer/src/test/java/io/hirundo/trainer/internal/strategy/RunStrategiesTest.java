package io.hirundo.trainer.internal.strategy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.data.Tokenizer;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.lib.configuration.document.Documents;
import io.hirundo.lib.run.change.RunPart;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.strategy.Lease;
import io.hirundo.lib.run.strategy.Offer;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.lib.run.strategy.StrategyDifference;
import io.hirundo.parallel.DataParallel;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.testkit.data.LetterTokenizer;
import io.hirundo.testkit.strategy.InertStrategies;
import io.hirundo.trainer.internal.fixture.ChangingCatalog;
import io.hirundo.trainer.internal.fixture.Fixed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a run holds of its strategies, and what a change of its configuration affects. */
class RunStrategiesTest {
    private static final String SMALLEST = """
      run: {name: first}
      model: {architecture: llama, export: false}
      training: {steps: 10, sequenceTokens: 32, globalBatch: 4}
      data: {source: {name: indexed, options: {prefix: a/b}}}
      """;

    private final ChangingCatalog catalog = new ChangingCatalog();
    private final Map<String, Offer> offers = new HashMap<>();

    RunStrategiesTest() {
        InertStrategies.all().forEach(each -> add(each.kind(), each.name(), each.factory()));
        add("data-parallel", "fsdp", InertStrategies.factory(DataParallel.class, NoOptions.class));
        // Asked for its memory, and closed.
        replace("device cpu", new CpuBackendFactory());
        replace("tokenizer huggingface", new Fixed<>(Tokenizer.class, new LetterTokenizer('a', 26)));
    }

    private void add(String kind, String name, StrategyFactory<?, ?> factory) {
        offers.put(kind + " " + name, catalog.add(kind, name, factory));
    }

    private void replace(String offer, StrategyFactory<?, ?> factory) {
        Offer before = offers.get(offer);
        catalog.remove(before);
        add(before.kind(), before.name(), factory);
    }

    private RunConfiguration configuration(String... overrides) {
        return new ConfigurationBinder(catalog)
                .bind("c.yaml", Documents.parse("c.yaml", SMALLEST, true), List.of(overrides));
    }

    /** The bundle stops, and another version of it starts. */
    private void update(String offer) {
        replace(offer, offers.get(offer).factory());
    }

    private static List<String> paths(List<Lease> leases) {
        return leases.stream().map(Lease::path).toList();
    }

    @ParameterizedTest
    @CsvSource({
        "learningRate.options.peak=0.5, STEP",
        "training.recompute=full, STEP",
        "mesh.dataParallel=fsdp, DATA_PARALLEL",
        "data.source.options.prefix=c, TRAINING_DATA",
        "evaluation.samples=2, EVALUATION_DATA",
        "'evaluation.watched={poems: {name: indexed, options: {prefix: c}}}', EVALUATION_DATA",
        "checkpoint.strategy=null, CHECKPOINT",
        "checkpoint.keepCopies=1, STORE",
        "monitors=[jsonl], NONE"
    })
    void aChangeAffectsThePartsOfItsSettings(String override, RunPart part) {
        try (var run = new RunStrategies(catalog, configuration());
                var next = run.next(configuration(override), false)) {
            assertEquals(new StrategyDifference(Set.of(part)), next.changes());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "precision fp32, PRECISION",
        "schedule 1f1b, LAYOUT",
        "tensor-parallel column-row, LAYOUT",
        "context-parallel ring, LAYOUT",
        "optimizer adamw, OPTIMIZER",
        "learning-rate cosine, STEP",
        "data indexed, TRAINING_DATA",
        "checkpoint sync, CHECKPOINT",
        "monitor console, NONE"
    })
    void strategiesMoveToTheBundleThatReplacesTheirs(String offer, RunPart part) {
        try (var run = new RunStrategies(catalog, configuration())) {
            Offer before = offers.get(offer);
            update(offer);
            assertEquals(1, run.gone().size());
            try (var next = run.next(configuration(), true)) {
                assertEquals(new StrategyDifference(Set.of(part)), next.changes());
                next.take();
            }
            assertFalse(catalog.isHeld(before));
            assertEquals(List.of(), run.stale());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "device cpu",
        "fabric local",
        "architecture llama",
        "model-format huggingface",
        "tokenizer huggingface",
        "data-parallel zero1"
    })
    void strategiesThatARunCannotCloseKeepTheirBundle(String offer) {
        String tokenizer = "data.tokenizer=huggingface";
        try (var run = new RunStrategies(catalog, configuration(tokenizer))) {
            Offer before = offers.get(offer);
            update(offer);
            assertEquals(List.of(), paths(run.stale()));
            try (var next = run.next(configuration(tokenizer, "optimizer=adamw"), true)) {
                assertEquals(new StrategyDifference(Set.of()), next.changes());
                next.take();
            }
            assertTrue(catalog.isHeld(before));
        }
    }

    @Test
    void aRequestThatReplacesDataParallelismFreesItsBundle() {
        try (var run = new RunStrategies(catalog, configuration())) {
            Offer before = offers.get("data-parallel zero1");
            update("data-parallel zero1");
            DataParallel present = run.strategies().parallel().data();
            try (var next = run.next(configuration("mesh.dataParallel=fsdp"), false)) {
                assertTrue(next.changes().affects(RunPart.DATA_PARALLEL));
                assertNotSame(present, next.strategies().parallel().data());
                assertSame(
                        run.strategies().parallel().fabric(),
                        next.strategies().parallel().fabric());
                next.take();
            }
            assertFalse(catalog.isHeld(before));
            assertTrue(catalog.isHeld(offers.get("data-parallel fsdp")));
            try (var back = run.next(configuration(), false)) {
                back.take();
            }
            assertTrue(catalog.isHeld(offers.get("data-parallel zero1")));
        }
    }

    @Test
    void aStrategyThatComesAfterItsBundleLeftIsADifference() {
        try (var run = new RunStrategies(catalog, configuration())) {
            catalog.remove(offers.get("precision fp32"));
            run.release(Set.of("precision"));
            update("precision fp32");
            try (var next = run.next(configuration(), true)) {
                assertEquals(new StrategyDifference(Set.of(RunPart.PRECISION)), next.changes());
            }
        }
    }
}
