package io.hirundo.trainer.internal.accounting;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.configuration.binding.ChoiceResolver;
import io.hirundo.lib.configuration.document.Documents;
import io.hirundo.lib.engine.layout.Stages;
import io.hirundo.lib.engine.pipeline.StageSplit;
import io.hirundo.lib.engine.rank.RankTeam;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.fit.SizeCheck;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.ModelSpec;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Impossible sizes are rejected before anything is allocated. */
class SizeCheckTest {
    private static RunConfiguration configuration(String... overrides) {
        String smallest = """
        run: {name: first}
        model: {architecture: llama}
        training: {steps: 10, sequenceTokens: 4096, globalBatch: 1024}
        data: {source: none}
        """;
        return new ConfigurationBinder(ChoiceResolver.unchecked())
                .bind("", Documents.parse("", smallest, true), List.of(overrides));
    }

    /** A model with an embedding of the given vocabulary and blocks without layers. */
    private static ModelSpec model(long vocabulary, long hidden, int layers) {
        var blocks = IntStream.range(0, layers + 2)
                .mapToObj(block -> new BlockSpec(
                        block,
                        "block." + block,
                        block == 0
                                ? List.<LayerSpec<?>>of(new LayerSpec.Embedding("embed", vocabulary, hidden, null))
                                : List.<LayerSpec<?>>of()))
                .toList();
        return new ModelSpec(vocabulary, hidden, 4096, blocks);
    }

    @Test
    void rejectsModelsAboveTheParameterLimit() {
        assertDoesNotThrow(() -> SizeCheck.check(configuration(), model(1_000_000, 100_000, 1)));
        var failure = assertThrows(
                ConfigurationException.class, () -> SizeCheck.check(configuration(), model(1L << 40, 1L << 20, 1)));
        assertEquals("model: 1.2e+18 parameters; allowed: up to 1.0e+14", failure.getMessage());
    }

    @Test
    void rejectsMoreRanksPerProcessThanThreads() {
        var failure = assertThrows(
                ConfigurationException.class,
                () -> new RankTeam(IntStream.range(0, 5_000).boxed().toList()));
        assertTrue(
                failure.getMessage().startsWith("mesh: 5,000 ranks in one process; allowed: up to 4,096. "),
                failure.getMessage());
    }

    @Test
    void namesStagesWithoutLayers() {
        var spec = model(8, 8, 4);
        var split = List.of(1, 2, 2, 1);
        var stages = StageSplit.given(List.of(0, 2, 2, 0), 6, 4);
        assertEquals(split, stages.stream().map(stage -> stage.count()).toList());
        assertEquals(
                Optional.of(
                        "mesh.pipeline: stages 0, 3 have no transformer layer, only the embedding or the head: 4 layers on 4 stages; lower"
                                + " mesh.pipeline, or set mesh.stageLayers"),
                Stages.withoutLayers(spec, stages));
        stages = StageSplit.given(List.of(2, 2), 6, 2);
        assertEquals(Optional.empty(), Stages.withoutLayers(spec, stages));
        stages = StageSplit.given(List.of(4, 0), 6, 2);
        assertTrue(Stages.withoutLayers(spec, stages)
                .orElseThrow()
                .startsWith("mesh.pipeline: stage 1 has no transformer layer, "));
    }
}
