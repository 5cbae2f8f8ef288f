package io.hirundo.gpusuite.internal.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.gpusuite.internal.fixture.FakeTrainer;
import io.hirundo.gpusuite.internal.fixture.FakeTrainer.Outcome;
import io.hirundo.gpusuite.internal.part.Part.Finding;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.strategy.Choice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Detects a device with wrong gradients; {@code itests} compares real ones. */
class ModelPartTest {
    private static final Map<String, float[]> RIGHT =
            Map.of("embed", new float[] {3, -4, 0}, "norm", new float[] {1, 1});

    private final List<String> progress = new ArrayList<>();

    private static Map<String, float[]> with(String name, float... values) {
        var changed = new TreeMap<>(RIGHT);
        changed.put(name, values);
        return changed;
    }

    private Finding compare(Outcome gpu, TimeBudget allowance) {
        var trainer = new FakeTrainer(Map.of("gpu", gpu, "cpu", new Outcome(step -> 5, RIGHT)));
        var part = new ModelPart(trainer, SmallModel.compared("llama"), Choice.of("gpu"), Choice.of("cpu"));
        Finding found = part.run(allowance, progress::add);
        assertEquals(0, trainer.open, "runs that nobody closed");
        for (var configuration : trainer.configurations) {
            assertNull(((Map<?, ?>) configuration.get("checkpoint")).get("strategy"), "nothing is written");
        }
        return found;
    }

    private static TimeBudget allowance() {
        return new TimeBudget(1, () -> 0);
    }

    @Test
    void reportsAgreement() {
        Finding found = compare(new Outcome(step -> 5.000005, with("norm", 1, 1.00001f)), allowance());

        assertEquals("loss and gradients agree in fp32, bf16, fp8-blockwise", found.summary());
        assertEquals(List.of(), found.failures());
        assertTrue(
                found.details().contains("| fp32 | 5.000005 | 1.0e-06 | 2e-06 | norm | 7.1e-06 | 2e-05 |"),
                found.details());
    }

    @Test
    void namesAWrongGradient() {
        // One percent off, within the bounds of bf16.
        Finding found = compare(new Outcome(step -> 5, with("embed", 3, -4, 0.05f)), allowance());

        assertEquals(List.of("fp32: the gradient of embed is off by 1.0e-02, allowed 2e-05"), found.failures());
        assertEquals(found.failures(), progress);
        assertEquals("compared in fp32, bf16, fp8-blockwise: 1 failures", found.summary());
    }

    @Test
    void treatsNanAsADifference() {
        Finding found = compare(new Outcome(step -> Double.NaN, with("norm", Float.NaN, 1)), allowance());

        assertEquals(6, found.failures().size(), found.failures()::toString);
        assertTrue(
                found.failures().getFirst().startsWith("fp32: the loss is NaN and not 5.0"),
                found.failures()::toString);
        assertTrue(found.details().contains("| norm | NaN |"), found.details());
    }

    /** The other precisions continue. */
    @Test
    void reportsAnUnsupportedPrecision() {
        Finding found = compare(
                new Outcome(
                        step -> {
                            throw new DeviceException("no such kernel");
                        },
                        RIGHT),
                allowance());

        assertEquals(
                List.of("fp32: no such kernel", "bf16: no such kernel", "fp8-blockwise: no such kernel"),
                found.failures());
    }

    @Test
    void cutsPrecisionsWhenTheTimeIsOver() {
        var seconds = new long[1];
        // The budget is checked at its start and before each precision; each check takes a second.
        var allowance = new TimeBudget(2, () -> seconds[0]++ * 1_000_000_000);
        Finding found = compare(new Outcome(step -> 5, RIGHT), allowance);

        assertEquals(
                "loss and gradients agree in fp32; not run for want of time: bf16, fp8-blockwise", found.summary());
    }
}
