package io.hirundo.lib.run.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.lib.run.change.RunPart;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeableSettingsTest {
    @ParameterizedTest
    @CsvSource({
        "precision, PRECISION",
        "precision.options.masterWeights, PRECISION",
        "mesh.schedule, LAYOUT",
        "mesh.tensorParallel, LAYOUT",
        "mesh.contextParallel, LAYOUT",
        "mesh.dataParallel, DATA_PARALLEL",
        "mesh.dataParallel.options.shardSize, DATA_PARALLEL",
        "optimizer, OPTIMIZER",
        "learningRate, STEP",
        "training.clipNorm, STEP",
        "training.recompute, STEP",
        "data.source, TRAINING_DATA",
        "evaluation, NONE",
        "evaluation.everySteps, NONE",
        "evaluation.samples, EVALUATION_DATA",
        "evaluation.watched, EVALUATION_DATA",
        "evaluation.watched.poems, EVALUATION_DATA",
        "checkpoint.everySteps, NONE",
        "checkpoint.strategy, CHECKPOINT",
        "checkpoint.store, STORE",
        "checkpoint.keepCopies, STORE",
        "swap.gate.loss, NONE",
        "monitors, NONE",
        "monitors[1], NONE"
    })
    void saysWhatAChangeAffects(String path, RunPart part) {
        assertEquals(Optional.of(part), ChangeableSettings.part(path));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "device",
                "mesh",
                "mesh.fabric",
                "mesh.data",
                "model.architecture",
                "model.format",
                "model.from",
                "data",
                "data.tokenizer",
                "training.steps",
                "seed",
                "precisions",
                "name.precision",
                "options.precision",
                ""
            })
    void otherSettingsAreFixedWhenARunStarts(String path) {
        assertEquals(Optional.empty(), ChangeableSettings.part(path));
    }

    @Test
    void sourcesOfSourcesBelongToTheirSetting() {
        assertEquals(Optional.of(RunPart.TRAINING_DATA), ChangeableSettings.part("data.source.options.parts[0].name"));
    }
}
