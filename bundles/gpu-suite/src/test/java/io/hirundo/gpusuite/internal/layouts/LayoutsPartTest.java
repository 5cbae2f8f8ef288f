package io.hirundo.gpusuite.internal.layouts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CommunicationException;
import io.hirundo.DeviceException;
import io.hirundo.device.DeviceInfo;
import io.hirundo.gpusuite.internal.fixture.FakeTrainer;
import io.hirundo.gpusuite.internal.fixture.FakeTrainer.Outcome;
import io.hirundo.gpusuite.internal.layouts.Comparisons.Compared;
import io.hirundo.gpusuite.internal.part.Part.Finding;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Detects layouts that train differently from a single rank; {@code SharedGpuLayoutsTest} of device-cuda compares real ones. */
class LayoutsPartTest {
    private static final LongToDoubleFunction LOSS = step -> 6 - 0.1 * step;
    private static final LongToDoubleFunction NORM = step -> 2;
    private static final Map<String, float[]> GRADIENTS =
            Map.of("embed", new float[] {3, -4, 0}, "norm", new float[] {1, 1});
    private static final Outcome RIGHT = new Outcome(LOSS, NORM, GRADIENTS);

    private static final List<Compared> FEW = List.of(
            new Compared(Layout.of(2, 1, 1, 1), Precision.FP32),
            new Compared(Layout.of(1, 1, 2, 1).by("zb-h1"), Precision.BF16),
            new Compared(Layout.of(1, 2, 1, 2).gathering(), Precision.FP32));

    private final List<String> progress = new ArrayList<>();
    private final List<String> trained = new ArrayList<>();

    private static int ranks(Map<String, Object> configuration, String axis) {
        return (Integer) ((Map<?, ?>) configuration.get("mesh")).get(axis);
    }

    private static int ranks(Map<String, Object> configuration) {
        return Stream.of("tensor", "context", "pipeline", "data")
                .mapToInt(axis -> ranks(configuration, axis))
                .reduce(1, Math::multiplyExact);
    }

    private static Object precision(Map<String, Object> configuration) {
        return ((Map<?, ?>) configuration.get("precision")).get("name");
    }

    /** Two GPUs, and runs with the given outcome if the axis has several ranks. */
    private Finding compare(String axis, Outcome outcome, TimeBudget allowance) {
        return compare(configuration -> axis != null && ranks(configuration, axis) > 1 ? outcome : RIGHT, allowance);
    }

    private Finding compare(Function<Map<String, Object>, Outcome> outcomes, TimeBudget allowance) {
        var trainer = new FakeTrainer(configuration -> {
            trained.add(precision(configuration) + " by " + ranks(configuration));
            return outcomes.apply(configuration);
        });
        var gpus =
                List.of(new DeviceInfo("cuda", 0, "GPU", "sm_90a", 1), new DeviceInfo("cuda", 1, "GPU", "sm_90a", 1));
        Finding found = new LayoutsPart(
                        trainer, FEW, "llama", Choice.of("gpu"), ranks -> gpus.subList(0, Math.min(ranks, 2)))
                .run(allowance, progress::add);
        assertEquals(0, trainer.open, "runs that nobody closed");
        assertEquals(found.failures(), progress);
        return found;
    }

    private static TimeBudget allowance() {
        return new TimeBudget(1, () -> 0);
    }

    @Test
    void reportsAgreement() {
        Finding found = compare("data", new Outcome(step -> 6.000001 - 0.1 * step, NORM, Map.of()), allowance());

        assertEquals("3 of 3 layouts agree with a single rank; up to 4 ranks on cuda 0, cuda 1", found.summary());
        assertEquals(List.of(), found.failures());
        assertTrue(found.isWhole());
        assertTrue(
                found.details()
                        .contains("| fp32 tp2 sp | 2 | 0.0e+00 | 1.0e-06 | 0.0e+00 | 2.0e-06 | 0.0e+00 | 1.0e-05 |\n"),
                found.details());
        // No rank has the complete gradient of a sum over ranks.
        assertTrue(
                found.details()
                        .contains(
                                "| fp32 cp2 all-gather dp2 fsdp | 4 | 1.8e-07 | 1.0e-06 | 0.0e+00 | 2.0e-06 |  |  |\n"),
                found.details());
    }

    @Test
    void namesAWrongLoss() {
        Finding found = compare(
                "tensor",
                new Outcome(step -> step == 2 ? 5.801 : LOSS.applyAsDouble(step), NORM, GRADIENTS),
                allowance());

        assertEquals(List.of("fp32 tp2 sp: the loss of step 2 is off by 1.7e-04, allowed 1.0e-06"), found.failures());
        assertEquals("2 of 3 layouts agree with a single rank; up to 4 ranks on cuda 0, cuda 1", found.summary());
    }

    @Test
    void namesWrongNormsAndGradients() {
        var gradients = Map.of("embed", new float[] {3, -4, 0.3f}, "norm", new float[] {1, 1.01f});
        Finding found = compare("pipeline", new Outcome(LOSS, step -> 2 - 0.01 * step, gradients), allowance());

        assertEquals(
                List.of(
                        "bf16 pp2 zb-h1: the gradients' norm of step 3 is off by 1.5e-02, allowed 3.0e-04",
                        "bf16 pp2 zb-h1: the gradient of embed is off by 6.0e-02, allowed 1.0e-05"),
                found.failures());
    }

    @Test
    void treatsNanAsADifference() {
        var gradients = Map.of("embed", new float[] {3, -4, Float.NaN}, "norm", new float[] {1, 1});
        Finding found = compare("tensor", new Outcome(step -> Double.NaN, step -> Double.NaN, gradients), allowance());

        assertEquals(3, found.failures().size(), found.failures()::toString);
        assertEquals(
                "fp32 tp2 sp: the loss of step 1 is off by NaN, allowed 1.0e-06",
                found.failures().getFirst());
    }

    /** The other layouts continue. */
    @Test
    void continuesAfterAFailingLayout() {
        Finding found = compare(
                configuration -> {
                    if (ranks(configuration, "tensor") > 1) {
                        throw new CommunicationException("rank 1 did not come");
                    }
                    if (ranks(configuration, "pipeline") > 1) {
                        throw new IllegalArgumentException("x has another shape");
                    }
                    return RIGHT;
                },
                allowance());

        assertEquals(
                List.of("fp32 tp2 sp: rank 1 did not come", "bf16 pp2 zb-h1: x has another shape"), found.failures());
        assertEquals("1 of 3 layouts agree with a single rank; up to 4 ranks on cuda 0, cuda 1", found.summary());
    }

    /** The single rank is not repeated, and other precisions are unaffected. */
    @Test
    void reportsAFailingSingleRankForItsLayouts() {
        for (RuntimeException failure :
                List.of(new DeviceException("no memory is left"), new IllegalStateException("x is closed"))) {
            progress.clear();
            trained.clear();
            Finding found = compare(
                    configuration -> {
                        if (ranks(configuration) == 1
                                && precision(configuration).equals("fp32")) {
                            throw failure;
                        }
                        return RIGHT;
                    },
                    allowance());

            String why = failure.getMessage();
            assertEquals(
                    List.of(
                            "fp32 tp2 sp: the single rank has failed: " + why,
                            "fp32 cp2 all-gather dp2 fsdp: the single rank has failed: " + why),
                    found.failures());
            assertEquals("1 of 3 layouts agree with a single rank; up to 4 ranks on cuda 0, cuda 1", found.summary());
            assertEquals(List.of("fp32 by 1", "bf16 by 1", "bf16 by 2"), trained);
        }
    }

    @Test
    void cutsLayoutsWhenTheTimeIsOver() {
        var seconds = new long[1];
        // The budget is checked at its start, before each layout, and for the deadline of each run; each check takes a
        // second.
        var allowance = new TimeBudget(4, () -> seconds[0]++ * 1_000_000_000);
        Finding found = compare(configuration -> RIGHT, allowance);

        assertEquals(
                "1 of 3 layouts agree with a single rank; up to 2 ranks on cuda 0, cuda 1; not run for want of time: bf16 pp2 zb-h1,"
                        + " fp32 cp2 all-gather dp2 fsdp",
                found.summary());
        assertEquals(false, found.isWhole());
    }

    private static ParameterPart part(long row, long column, long rows, long columns) {
        return new ParameterPart("w", Shape.of(3, 4), List.of(row, column), Shape.of(rows, columns));
    }

    @Test
    void comparesShardsWithTheirRegion() {
        float[] whole = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
        var expected = new Trace.Piece(part(0, 0, 3, 4), whole);

        assertEquals(0, new Trace.Piece(part(1, 2, 2, 2), new float[] {6, 7, 10, 11}).differenceFrom(expected));
        assertEquals(0, new Trace.Piece(part(2, 0, 1, 4), new float[] {8, 9, 10, 11}).differenceFrom(expected));
        // The rows are in the wrong order.
        assertEquals(
                Math.sqrt(64.0 / 306),
                new Trace.Piece(part(1, 2, 2, 2), new float[] {10, 11, 6, 7}).differenceFrom(expected),
                1e-12);
    }

    /** As the documentation says. */
    @Test
    void coversEveryAxisAndStrategy() {
        List<Compared> all = Comparisons.ALL;
        assertEquals(
                all.size(), new HashSet<>(all.stream().map(Compared::toString).toList()).size(), "one of them twice");
        assertEquals(8, all.stream().mapToInt(it -> it.layout().ranks()).max().orElseThrow());
        assertEquals(
                Precision.FP32,
                all.getFirst().precision(),
                "ranks would compile attention.cu while others wait for them");
        String names = all.toString();
        for (String part : List.of(
                "tp2 sp",
                "tp4",
                "cp2 ring",
                "cp4",
                "all-gather",
                "1f1b",
                "interleaved",
                "zb-h1",
                "zb-v",
                "zero1",
                "fsdp")) {
            assertTrue(names.contains(part), part + " in " + names);
        }
        for (var precision : List.of(Precision.FP32, Precision.BF16, Precision.FP8)) {
            assertTrue(
                    IntStream.range(0, all.size() / 2)
                            .anyMatch(i -> all.get(i).precision().equals(precision)
                                    && all.get(i).layout().ranks() == 8),
                    "eight ranks in " + precision.name() + ", not among the last");
        }
    }
}
