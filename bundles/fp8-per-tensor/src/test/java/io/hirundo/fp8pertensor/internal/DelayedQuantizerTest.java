package io.hirundo.fp8pertensor.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.precision.QuantizedMatrix;
import io.hirundo.precision.Operand;
import io.hirundo.precision.StepMemory;
import io.hirundo.precision.WeightSharers;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which magnitudes scales are made of. */
class DelayedQuantizerTest {
    private final Bench bench = Bench.open(new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR)));

    @AfterEach
    void close() {
        bench.close();
    }

    private DelayedQuantizer quantizer(int history, boolean mostRecent, int margin) {
        var device = bench.device();
        var kernels = device.kernels().matrixScaled().orElseThrow();
        var codes = Codes.of(Codes.E5M2, Codes.EXACT);
        return new DelayedQuantizer(
                kernels,
                codes,
                new CurrentQuantizer(device, kernels, codes, WeightSharers.NONE),
                () -> new AmaxHistory(device, kernels, history, mostRecent, margin));
    }

    private Tensor of(double magnitude) {
        return bench.tensor(DType.FP32, i -> i == 1 ? -magnitude : 0, 2, 2);
    }

    /** The magnitude that a scale is made of, when an operand of another magnitude is quantized. */
    private double amax(DelayedQuantizer quantizer, Operand operand, double magnitude) {
        try (var matrix = QuantizedMatrix.allocate(
                bench.device(), MemoryCategory.WORKSPACE, quantizer.codes(operand), quantizer.block(operand), 2, 2)) {
            quantizer.quantize(bench.queue(), operand, of(magnitude), matrix.scaled());
            double inverse = bench.read(matrix.scaled().inverseScales())[0];
            quantizer.quantizeTransposed(bench.queue(), operand, of(magnitude), matrix.scaled());
            assertEquals(inverse, bench.read(matrix.scaled().inverseScales())[0]);
            return (float) (inverse * (operand == Operand.OUTPUT_GRADIENT ? 57344 : 448));
        }
    }

    private void begin(DelayedQuantizer quantizer, double weight, double... inputs) {
        quantizer.weightIsNew(bench.queue(), of(weight));
        for (double input : inputs) {
            quantizer.gradientIsFound(bench.queue(), of(input * 64), of(input));
        }
    }

    private void step(DelayedQuantizer quantizer, double weight, double... inputs) {
        begin(quantizer, weight, inputs);
        quantizer.memory().orElseThrow().endStep(bench.queue());
    }

    @Test
    void firstStepUsesCurrentScaling() {
        try (var quantizer = quantizer(3, false, 0)) {
            begin(quantizer, 4, 8, 4);
            assertEquals(16, amax(quantizer, Operand.INPUT, 16));
            assertEquals(4, amax(quantizer, Operand.WEIGHT, 4));
        }
    }

    @Test
    void usesTheMaximumOfTheHistory() {
        try (var quantizer = quantizer(3, false, 0)) {
            step(quantizer, 2, 4, 8, 1);
            begin(quantizer, 1, 2);
            assertEquals(8, amax(quantizer, Operand.INPUT, 16), "the largest of the first step's microbatches");
            assertEquals(8 * 64, amax(quantizer, Operand.OUTPUT_GRADIENT, 16));
            assertEquals(2, amax(quantizer, Operand.WEIGHT, 1), "that of the step before");
            step(quantizer, 1);
            step(quantizer, 1, 1);
            assertEquals(8, amax(quantizer, Operand.INPUT, 16), "of the last three");
            step(quantizer, 1, 1);
            assertEquals(2, amax(quantizer, Operand.INPUT, 16), "the first step is forgotten");
            step(quantizer, 1, 1);
            begin(quantizer, 1, 32);
            assertEquals(1, amax(quantizer, Operand.INPUT, 16), "a step in which nothing ended yet does not count");
        }
    }

    @Test
    void usesTheMostRecentAmaxWithAMargin() {
        try (var quantizer = quantizer(1024, true, 2)) {
            step(quantizer, 2, 8);
            begin(quantizer, 1, 2);
            assertEquals(32, amax(quantizer, Operand.INPUT, 16));
            step(quantizer, 1);
            assertEquals(8, amax(quantizer, Operand.INPUT, 16));
        }
    }

    /** Nor does a weight that is prepared twice, in an evaluation for instance. */
    @Test
    void discardedStepsLeaveNoHistory() {
        try (var quantizer = quantizer(4, false, 0)) {
            step(quantizer, 2, 8);
            quantizer.weightIsNew(bench.queue(), of(4));
            quantizer.gradientIsFound(bench.queue(), of(1000), of(1000));
            quantizer.memory().orElseThrow().discard();
            step(quantizer, 4, 2);
            quantizer.weightIsNew(bench.queue(), of(4));
            assertEquals(8, amax(quantizer, Operand.INPUT, 1));
            assertEquals(8 * 64, amax(quantizer, Operand.OUTPUT_GRADIENT, 1));
            assertEquals(4, amax(quantizer, Operand.WEIGHT, 1));
        }
    }

    @Test
    void doesNotRecordNonFiniteAmax() {
        try (var quantizer = quantizer(4, false, 0)) {
            step(quantizer, 2, 8, Double.NaN, Double.POSITIVE_INFINITY);
            assertEquals(8, amax(quantizer, Operand.INPUT, 1));
        }
    }

    /** At any time: before the history is full, when it just is, and long after. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 11})
    void restoredHistoryContinuesLikeTheSavedOne(int stepsBefore) {
        double[] magnitudes = {7, 5, 3, 9, 2, 4, 6, 8, 1, 3, 5};
        try (var saved = quantizer(3, false, 1);
                var restored = quantizer(3, false, 1)) {
            for (int step = 0; step < stepsBefore; step++) {
                step(saved, magnitudes[step], magnitudes[step]);
            }
            StepMemory from = saved.memory().orElseThrow();
            StepMemory to = restored.memory().orElseThrow();
            assertEquals(from.name(), to.name());
            var queue = bench.queue();
            bench.device().kernels().elementwise().copy(queue, from.state(queue), to.state(queue));
            to.restored(queue);
            begin(saved, 16);
            begin(restored, 16);
            for (int step = 0; step < 5; step++) {
                for (Operand operand : Operand.values()) {
                    assertEquals(amax(saved, operand, 16), amax(restored, operand, 16), operand + " in step " + step);
                }
                for (var quantizer : List.of(saved, restored)) {
                    step(quantizer, magnitudes[10 - step], magnitudes[10 - step]);
                }
            }
        }
    }
}
