package io.hirundo.trainer.internal.swap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.parity.SmallFamily;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Precisions of running models of other families than Llama: biases, head norms, soft caps and tied heads keep their state. */
class FamilySwapTest {
    private static final int STEPS = 9;

    @TempDir
    private Path folder;

    private SteeredRun prepared(String name, SmallFamily family) {
        return new SteeredRun(folder.resolve(name))
                .architecture(family.choice())
                .with("mesh", Map.of("tensor", 2, "pipeline", 2))
                .with("training", Map.of("steps", STEPS, "sequenceTokens", 16, "globalBatch", 4))
                // Without the loss monitor after a swap: a change that it would undo must show in the losses.
                .with("swap", Map.of("watchSteps", 0));
    }

    @ParameterizedTest
    @EnumSource
    void changesPrecisionInMidRun(SmallFamily family) {
        var run = prepared("changed", family);
        var decisions = Stream.of(
                        // Computes as fp32 does, so that the losses show whether a swap alone changes a bit.
                        run.change(1, "precision=faulty"),
                        run.change(3, "precision=bf16"),
                        run.change(5, "precision={name: fp8-blockwise, options: {blocks: shard-local}}"),
                        run.change(7, "precision=fp32"))
                .toList();
        run.run();
        decisions.forEach(decision ->
                assertTrue(decision.join().granted(), decision.join().message()));

        List<Double> expected = prepared("unchanged", family).run().losses;
        assertEquals(expected.subList(0, 4), run.losses.subList(0, 4));
        assertNotEquals(expected.get(5), run.losses.get(5), "bf16 rounds");
        for (int step = 0; step < STEPS; step++) {
            assertEquals(expected.get(step), run.losses.get(step), 0.01, "step " + (step + 1));
        }
    }
}
