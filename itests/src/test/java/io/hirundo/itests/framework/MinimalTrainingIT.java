package io.hirundo.itests.framework;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.itests.program.Profiles;
import io.hirundo.train.Trainer;
import io.hirundo.train.TrainingRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.inject.Inject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;

/** The smallest profile trains: the trainer service, its strategies found as services, a tiny model on synthetic tokens. */
@ExtendWith(PaxExamExtension.class)
public class MinimalTrainingIT {
    private static final int STEPS = 30;

    @Inject
    private Trainer trainer;

    @Configuration
    public Option[] configuration() {
        return Profiles.options("minimal");
    }

    @Test
    public void theLossFalls() {
        List<Double> losses = losses(2);

        // A uniform guess over 64 tokens costs ln 64; the synthetic tokens follow a rule that a model learns to some
        // degree.
        assertEquals(Math.log(64), losses.getFirst(), 0.3);
        assertTrue(losses.getLast() < losses.getFirst() - 0.05, losses::toString);
    }

    @Test
    public void lossesAreBitwiseTheSameWhateverTheNumberOfWorkers() {
        assertEquals(losses(1), losses(3));
    }

    @Test
    public void anUnknownStrategyIsAnsweredWithThoseThatAreThere() {
        Map<String, Object> configuration = tiny(1);
        configuration.put("precision", "fp7");

        ConfigurationException rejection =
                assertThrows(ConfigurationException.class, () -> trainer.prepare(configuration));

        assertTrue(rejection.getMessage().contains("fp7"), rejection.getMessage());
        assertTrue(rejection.getMessage().contains("fp32"), rejection.getMessage());
    }

    private List<Double> losses(int workers) {
        List<Double> losses = new ArrayList<>();
        try (TrainingRun run = trainer.prepare(tiny(workers))) {
            for (int step = 0; step < STEPS; step++) {
                losses.add(run.step().loss());
            }
        }
        return losses;
    }

    static Map<String, Object> tiny(int workers) {
        Map<String, Object> sizes = Map.of(
                "vocabSize",
                64,
                "hiddenSize",
                32,
                "intermediateSize",
                80,
                "numHiddenLayers",
                2,
                "numAttentionHeads",
                4,
                "numKeyValueHeads",
                2,
                "maxPositionEmbeddings",
                32);
        Map<String, Object> model = new HashMap<>();
        model.put("architecture", choice("llama", sizes));
        model.put("format", null);
        model.put("export", false);
        Map<String, Object> checkpoint = new HashMap<>();
        checkpoint.put("strategy", null);
        checkpoint.put("atEnd", false);
        Map<String, Object> configuration = new HashMap<>();
        configuration.put("run", Map.of("name", "tiny"));
        configuration.put("model", model);
        configuration.put("device", choice("cpu", Map.of("workers", workers, "kernels", "reference")));
        configuration.put("training", Map.of("steps", STEPS, "sequenceTokens", 8, "microBatch", 2, "globalBatch", 4));
        configuration.put("learningRate", choice("constant", Map.of("peak", 0.003)));
        configuration.put("data", Map.of("source", choice("synthetic", Map.of("vocabulary", 64))));
        configuration.put("checkpoint", checkpoint);
        return configuration;
    }

    private static Map<String, Object> choice(String name, Map<String, Object> options) {
        return Map.of("name", name, "options", options);
    }
}
