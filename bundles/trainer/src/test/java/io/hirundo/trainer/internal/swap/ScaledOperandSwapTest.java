package io.hirundo.trainer.internal.swap;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.fp8pertensor.internal.Fp8CurrentFactory;
import io.hirundo.fp8pertensor.internal.Fp8CurrentOptions;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.train.Decision;
import io.hirundo.trainer.internal.fixture.ScalingPrecision;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A strategy that multiplies an operand by a factor, in one layer, and reports what it multiplies: within the norm that rounding explains. */
class ScaledOperandSwapTest {
    @TempDir
    private Path folder;

    private final Map<String, CompletableFuture<Decision>> requests = new LinkedHashMap<>();
    private SteeredRun run;
    private int step = 1;

    private void request(String precision, Operand operand, double factor) {
        String options = "precision={name: " + precision + ", options: {operand: "
                + operand.name().toLowerCase(Locale.ROOT) + ", factor: " + factor + "}}";
        requests.put(options, run.change(step++, options.replace('_', '-')));
    }

    private void prepare(Map<String, PrecisionStrategy> sound) {
        run = new SteeredRun(folder);
        Map<String, Object> sizes = Map.of(
                "vocabSize",
                96,
                "hiddenSize",
                32,
                "intermediateSize",
                64,
                "numHiddenLayers",
                2,
                "numAttentionHeads",
                4,
                "numKeyValueHeads",
                4,
                "maxPositionEmbeddings",
                16);
        run.architecture(Map.of("name", "llama", "options", sizes));
        run.document.put("training", Map.of("steps", 12, "sequenceTokens", 16, "globalBatch", 2, "microBatch", 2));
        run.document.put("swap", Map.of("watchSteps", 0));
        sound.forEach((name, strategy) -> run.catalog.add("precision", name, new ScalingPrecision(strategy)));
    }

    @Test
    void rejectsOperandsThatAreScaledByMoreThanRoundingExplains() {
        prepare(Map.of(
                "scaled-bf16", new Bf16Factory().create(new Bf16Options()),
                "scaled-blocks", new Fp8BlockwiseFactory().create(new Fp8BlockwiseOptions()),
                "scaled-tensors", new Fp8CurrentFactory().create(new Fp8CurrentOptions())));
        for (Operand operand : Operand.values()) {
            request("scaled-bf16", operand, 1.003);
            request("scaled-bf16", operand, 0.997);
        }
        request("scaled-blocks", Operand.WEIGHT, 1.07);
        request("scaled-blocks", Operand.INPUT, 0.93);
        request("scaled-tensors", Operand.WEIGHT, 0.93);
        request("scaled-tensors", Operand.OUTPUT_GRADIENT, 1.07);
        CompletableFuture<Decision> sound = run.change(step, "precision={name: scaled-bf16, options: {factor: 1}}");
        run.run();
        assertTrue(sound.join().granted(), sound.join().message());
        requests.forEach((options, request) -> {
            Decision decision = request.join();
            assertFalse(decision.granted(), options);
            assertTrue(
                    decision.message().contains("times as large as before")
                            && decision.message().contains(ScalingPrecision.LAYER),
                    options + ": " + decision.message());
        });
    }
}
