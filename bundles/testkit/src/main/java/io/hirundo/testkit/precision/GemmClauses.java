package io.hirundo.testkit.precision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.precision.LinearShape;
import io.hirundo.precision.StepMemory;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.Guarded;
import java.util.List;

/**
 * Compares the three GEMMs of a linear layer with FP64 loops over the operands, rounded to their dtypes.
 */
public interface GemmClauses extends PrecisionOffer {
    @Clause(
            value = "y = x w^T, for every supported shape and any number of tokens",
            remedy =
                    "how forward() reads the weight, the last row and column of odd sizes, and state that it keeps between calls")
    default void forwardIsTheProduct(Bench bench) {
        Layers.forEach(this, bench, fixture -> {
            Guarded w = fixture.prepare(1);
            tokens().forEach(tokens -> fixture.forward(w, tokens));
        });
    }

    @Clause(
            value = "dx = dy w, which overwrites dx",
            remedy = "how inputGradient() reads the weight: it contracts over the outputs, and accumulates nothing")
    default void inputGradientIsTheProduct(Bench bench) {
        Layers.forEach(this, bench, fixture -> {
            Guarded w = fixture.prepare(1);
            tokens().forEach(tokens -> fixture.inputGradient(w, tokens));
        });
    }

    @Clause(
            value = "dw += dy^T x: gradients of microbatches accumulate",
            remedy =
                    "whether weightGradient() adds to dw, and which operand it reads transposed (dw is [outputs, inputs])")
    default void weightGradientIsAdded(Bench bench) {
        Layers.forEach(this, bench, fixture -> {
            fixture.prepare(1);
            tokens().forEach(fixture::weightGradient);
        });
    }

    @Clause(
            value = "After each optimizer step the GEMMs use the new weight",
            remedy = "prepare(): must overwrite what it keeps of the old weight when 'reuse' is given")
    default void theLatestWeightCounts(Bench bench) {
        Layers.forEach(this, bench, fixture -> {
            for (int step = 1; step <= 3; step++) {
                Guarded w = fixture.prepare(10 + step);
                fixture.forward(w, 5);
                fixture.inputGradient(w, 5);
            }
        });
    }

    @Clause(
            value = "The same operands give the same bits, so that a resumed run repeats an uninterrupted one",
            remedy =
                    "sums whose order differs from call to call, random rounding without a fixed seed, state kept between calls")
    default void repeatsBitForBit(Bench bench) {
        for (LinearShape shape : Layers.supported(this, bench)) {
            List<double[]> first = Layers.gemms(this, bench, shape);
            List<double[]> second = Layers.gemms(this, bench, shape);
            for (int i = 0; i < first.size(); i++) {
                assertArrayEquals(
                        Layers.bits(first.get(i)), Layers.bits(second.get(i)), "product " + i + " of " + shape);
            }
        }
    }

    @Clause(
            value =
                    "memory() has all state that later GEMMs depend on: another layer that restores it continues with the same bits",
            remedy =
                    "StepMemory.state() and restored(); and state kept from step to step outside of it, which a resumed run lacks")
    default void remembersNothingElse(Bench bench) {
        for (LinearShape shape : Layers.supported(this, bench)) {
            try (var first = LinearFixture.unchecked(bench, this, shape);
                    var second = LinearFixture.unchecked(bench, this, shape)) {
                for (int step = 1; step <= 3; step++) {
                    first.prepare(step);
                    first.weightGradient(8);
                    first.math.memory().ifPresent(memory -> memory.endStep(bench.queue()));
                    second.prepare(step);
                }
                first.math
                        .memory()
                        .ifPresent(memory ->
                                takeUp(bench, memory, second.math.memory().orElseThrow()));
                for (int step = 4; step <= 5; step++) {
                    assertArrayEquals(
                            Layers.bits(first.step(step, 8)),
                            Layers.bits(second.step(step, 8)),
                            "step " + step + " of " + shape);
                }
            }
        }
    }

    private static void takeUp(Bench bench, StepMemory from, StepMemory into) {
        assertEquals(from.name(), into.name(), "names of two memories of the same layer");
        bench.device()
                .kernels()
                .elementwise()
                .copy(bench.queue(), from.state(bench.queue()), into.state(bench.queue()));
        into.restored(bench.queue());
    }

    @Clause(
            value = "Both gradients from one dy are bitwise equal to those computed one by one, step after step",
            remedy =
                    "LinearMath.gradients(): dx stays as input() computed it, weight() adds to dw, and the dy of each microbatch is recorded "
                            + "once, as weightGradient() does")
    default void bothGradientsAreThoseOfEach(Bench bench) {
        for (LinearShape shape : Layers.supported(this, bench)) {
            try (var each = LinearFixture.unchecked(bench, this, shape);
                    var both = LinearFixture.unchecked(bench, this, shape)) {
                for (int step = 1; step <= 2; step++) {
                    each.prepare(step);
                    both.prepare(step);
                    assertArrayEquals(
                            Layers.bits(each.gradients(33, false)),
                            Layers.bits(both.gradients(33, true)),
                            "step " + step + " of " + shape);
                    each.math.memory().ifPresent(memory -> memory.endStep(bench.queue()));
                    both.math.memory().ifPresent(memory -> memory.endStep(bench.queue()));
                }
            }
        }
    }

    @Clause(
            value = "NaNs propagate, so that divergence is detected",
            remedy = "quantization or clamping that maps NaN to a number")
    default void propagatesNaN(Bench bench) {
        Layers.forEach(this, bench, fixture -> {
            fixture.prepare(1);
            Guarded x = fixture.input(5);
            bench.write(x.tensor(), i -> i == 0 ? Double.NaN : 1);
            Guarded y = fixture.output(5);
            bench.write(y.tensor(), i -> 1);
            fixture.math.forward(bench.queue(), x.tensor(), fixture.prepared(), y.tensor());
            assertTrue(
                    Double.isNaN(y.result()[0]),
                    "the first row of x holds a NaN, the first output is " + y.result()[0]);
        });
    }
}
