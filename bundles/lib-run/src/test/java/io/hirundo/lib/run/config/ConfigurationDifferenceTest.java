package io.hirundo.lib.run.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.lib.configuration.binding.ChoiceResolver;
import io.hirundo.lib.configuration.document.Documents;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigurationDifferenceTest {
    private static RunConfiguration bind(String... overrides) {
        return new ConfigurationBinder(ChoiceResolver.unchecked())
                .bind("c.yaml", Documents.parse("c.yaml", ConfigurationBinderTest.SMALLEST, true), List.of(overrides));
    }

    private static ConfigurationDifference difference(String... overrides) {
        return ConfigurationDifference.between(bind(), bind(overrides));
    }

    @Test
    void namesSettingsThatAreFixedWhenARunStarts() {
        assertEquals(
                List.of("seed", "mesh.fabric", "mesh.data", "data.tokenizer"),
                difference(
                                "seed=1",
                                "mesh.fabric=mpi",
                                "mesh.data=2",
                                "mesh.dataParallel=fsdp",
                                "data.tokenizer=letters",
                                "swap.gate.loss=0.1",
                                "checkpoint.store=folder")
                        .impossible());
    }

    @ParameterizedTest
    @CsvSource({
        "precision=bf16, true",
        "mesh.dataParallel=fsdp, true",
        "learningRate.options.peak=1, true",
        "training.clipNorm=2, true",
        "data.source=blend, true",
        "evaluation.samples=2, false",
        "evaluation.watched={poems: indexed}, false",
        "checkpoint.strategy=async, false",
        "checkpoint.keepCopies=1, false",
        "monitors=[], false",
        "swap.watchSteps=1, false",
        "seed=1234, false"
    })
    void knowsWhetherLaterLossesMayDiffer(String override, boolean touched) {
        assertEquals(touched, difference(override).touchesLearning());
    }
}
