package io.hirundo.testkit.precision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.precision.Contraction;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.Guarded;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Clauses on quantized weights, packed operands and quantized transfers between ranks, and on reported quantization error. A feature
 * that a strategy does not have is skipped.
 */
public interface QuantizedTransferClauses extends PrecisionOffer {
    @Clause(
            value = "A weight prepared from quantized runs is bitwise equal to one prepared from the weight",
            remedy = "LinearMath.coding(): runs that begin anywhere, amaxes combined with MAX, and reused memory")
    default void codedWeightsAreTheWeight(Bench bench) {
        forEveryLayer(bench, fixture -> {
            PreparedWeight coded = null;
            for (int step = 1; step <= 2 && fixture.math().coding().isPresent(); step++) {
                Guarded w = fixture.prepare(step);
                coded = fixture.prepareCoded(w, coded);
                w.requireUntouched();
                assertArrayEquals(
                        Layers.bits(fixture.forward(fixture.prepared())),
                        Layers.bits(fixture.forward(coded)),
                        "y, step " + step);
                assertArrayEquals(
                        Layers.bits(fixture.inputGradient(fixture.prepared())),
                        Layers.bits(fixture.inputGradient(coded)),
                        "dx, step " + step);
            }
            if (coded != null) {
                coded.close();
            }
        });
    }

    @Clause(
            value =
                    "GEMMs of packed operands are bitwise equal to GEMMs of the operands, with the rows of the pieces concatenated",
            remedy = "LinearMath.packed(): packs() for cut blocks, the order of the pieces, and accumulation into dw")
    default void packedProductsAreTheProducts(Bench bench) {
        forEveryLayer(bench, fixture -> {
            if (fixture.math().packed().isPresent()) {
                fixture.prepare(1);
                for (int rows : new int[] {5, 128}) {
                    for (Operand operand : new Operand[] {Operand.INPUT, Operand.OUTPUT_GRADIENT}) {
                        for (Contraction over : Contraction.values()) {
                            fixture.requirePackedAsValues(operand, over, rows);
                        }
                    }
                }
            }
        });
    }

    @Clause(
            value =
                    "Measuring quantization error counts every element once, changes no operand and no GEMM, and is announced",
            remedy =
                    "LinearMath.roundingLoss(): counts and sums over the original elements, and state that it leaves for later GEMMs;"
                            + " and roundsOperands()")
    default void lookingAtRoundingChangesNothing(Bench bench) {
        forEveryLayer(bench, fixture -> {
            boolean announced = fixture.math().roundsOperands();
            boolean reportsError = false;
            // If nothing is quantized, other clauses check that GEMMs repeat.
            Supplier<double[]> product = () -> announced ? fixture.forward(fixture.prepared()) : new double[0];
            Guarded w = fixture.prepare(1);
            for (Operand operand : Operand.values()) {
                Guarded x = operand == Operand.WEIGHT ? w : fixture.operand(operand, 33);
                if (operand != Operand.WEIGHT) {
                    bench.write(x.tensor(), i -> i % 5 == 0 ? 0 : x.values()[(int) i]);
                }
                double[] values = bench.read(x.tensor());
                double[] before = product.get();
                var found = fixture.math().roundingLoss(bench.queue(), operand, x.tensor());
                assertArrayEquals(Layers.bits(values), Layers.bits(x.result()), operand + " after it was measured");
                assertArrayEquals(Layers.bits(before), Layers.bits(product.get()), "y after measuring " + operand);
                found.ifPresent(loss -> requireSensible(operand, values, loss));
                reportsError |= found.isPresent();
            }
            assertEquals(reportsError, announced, "roundsOperands(), compared with roundingLoss()");
        });
    }

    private static void requireSensible(Operand operand, double[] values, RoundingLoss loss) {
        long nonZero = 0;
        double squares = 0;
        for (double value : values) {
            nonZero += value != 0 ? 1 : 0;
            squares += value * value;
        }
        assertEquals(nonZero, loss.nonZero(), "elements of " + operand + " that are not zero");
        assertEquals(squares, loss.squares(), 1e-5 * squares, "sum of the squares of " + operand);
        assertTrue(
                loss.vanished() >= 0 && loss.vanished() + loss.largest() <= nonZero,
                operand + ": wrong counts in " + loss);
        assertTrue(
                loss.error() <= MAX_TOLERANCE,
                operand + " has quantization error " + loss.error() + " (allowed: " + MAX_TOLERANCE + ")");
    }

    @Clause(
            value =
                    "A transfer between stages has fewer bytes than its values, and carries them up to quantization error",
            remedy =
                    "PrecisionStrategy.betweenStages(): any numbers of rows and columns, NaN, and values left over from an "
                            + "earlier transfer")
    default void packedTransfersApproximateTheirValues(Bench bench) {
        strategy().betweenStages(bench.device()).ifPresent(coding -> {
            for (int columns : new int[] {256, 144, 33}) {
                PackedTransfer.requireRoundTrip(bench, strategy().activationType(), coding, 7, columns);
            }
        });
    }

    private void forEveryLayer(Bench bench, Consumer<QuantizedTransferFixture> check) {
        for (LinearShape shape : Layers.supported(this, bench)) {
            try (var fixture = new QuantizedTransferFixture(bench, this, shape)) {
                check.accept(fixture);
            }
        }
    }
}
