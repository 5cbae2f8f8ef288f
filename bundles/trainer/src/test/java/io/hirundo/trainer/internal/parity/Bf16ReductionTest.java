package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A training whose gradients are reduced in BF16 has the losses and gradient norms of one that reduces them in FP32, up to rounding. */
class Bf16ReductionTest {
    /** Summand and sum are rounded by at most 2^-9 of their magnitude each; norms add up the squares of all elements. */
    private static final double NORM = 0x1p-8;

    /** Of the loss, after twelve steps. */
    private static final double LOSS = 1e-3;

    @TempDir
    private Path folder;

    private SteeredRun run(String mode, Map<String, Object> options, boolean reduceInBf16) {
        var all = new HashMap<>(options);
        all.put("reduceInBf16", reduceInBf16);
        return new SteeredRun(folder.resolve(mode + reduceInBf16))
                .with("mesh", Map.of("data", 2, "dataParallel", Map.of("name", mode, "options", all)))
                .run();
    }

    @ParameterizedTest
    @ValueSource(strings = {"zero1", "zero2", "fsdp"})
    void trainsAsInFp32(String mode) {
        requireAsInFp32(mode, Map.of());
    }

    /** A data rank holds everything, and sums are over replicas alone. */
    @Test
    void sumsOverReplicasInBf16() {
        requireAsInFp32("fsdp", Map.of("shardSize", 1));
    }

    private void requireAsInFp32(String mode, Map<String, Object> options) {
        var exact = run(mode, options, false).events(StepCompleted.class);
        var rounded = run(mode, options, true).events(StepCompleted.class);
        assertEquals(
                exact.getFirst().metrics().loss(), rounded.getFirst().metrics().loss(), "before the first update");
        assertNotEquals(
                exact.getFirst().metrics().gradientNorm(),
                rounded.getFirst().metrics().gradientNorm(),
                "nothing was rounded");
        assertEquals(
                1,
                rounded.getFirst().metrics().gradientNorm()
                        / exact.getFirst().metrics().gradientNorm(),
                NORM);
        for (int step = 0; step < SteeredRun.STEPS; step++) {
            String where = "step " + (step + 1);
            assertEquals(
                    1,
                    rounded.get(step).metrics().loss()
                            / exact.get(step).metrics().loss(),
                    LOSS,
                    where);
            assertEquals(
                    1,
                    rounded.get(step).metrics().gradientNorm()
                            / exact.get(step).metrics().gradientNorm(),
                    4 * NORM,
                    where);
        }
    }
}
