package io.hirundo.testkit.precision;

import io.hirundo.lib.oracle.gemm.DeviceProduct;
import io.hirundo.lib.oracle.gemm.DeviceRows;
import io.hirundo.lib.oracle.gemm.OperandError;
import io.hirundo.lib.oracle.gemm.ProductError;
import io.hirundo.lib.oracle.gemm.Projection;
import io.hirundo.lib.oracle.gemm.ResultSums;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.Guarded;
import java.util.List;

/** Compares GEMMs with FP64 sums over the operands as they were multiplied, so that quantization of operands excuses no error. */
public interface ArithmeticClauses extends PrecisionOffer {
    /** Of an operand whose size is compared: the more elements, the smaller the factor that rounding does not explain. */
    int TOKENS = 65;

    @Clause(
            value =
                    "Each GEMM is that of the operands that multiplied() returns, up to rounding of its sums and its result",
            remedy = "LinearMath.multiplied(): quantized values for the requested GEMM, and their orientation; then the"
                    + " GEMM itself: scales, edges, an operand that was quantized another time")
    default void productsAreOfWhatIsMultiplied(Bench bench) {
        for (LinearShape shape : Layers.supported(this, bench)) {
            try (var trial = LinearTrial.unchecked(bench, this, shape)) {
                for (int tokens : List.of(33, 65)) {
                    Guarded w = trial.prepare(tokens);
                    Tensor x = trial.input(tokens).tensor();
                    Tensor dy = trial.outputGradient(tokens).tensor();
                    Tensor y = trial.output(tokens).tensor();
                    Tensor dx = bench.tensor(strategy().activationType(), tokens, shape.inputs());
                    Tensor dw = bench.tensor(
                            Parameter.updateType(strategy().parameterType()),
                            i -> i % 7 - 3,
                            shape.outputs(),
                            shape.inputs());
                    LinearMath math = trial.math;
                    check(
                            bench,
                            trial,
                            LinearProduct.OUTPUT,
                            x,
                            null,
                            w.tensor(),
                            y,
                            () -> math.forward(bench.queue(), x, trial.prepared(), y));
                    check(
                            bench,
                            trial,
                            LinearProduct.INPUT_GRADIENT,
                            null,
                            dy,
                            w.tensor(),
                            dx,
                            () -> math.inputGradient(bench.queue(), dy, trial.prepared(), dx));
                    check(
                            bench,
                            trial,
                            LinearProduct.WEIGHT_GRADIENT,
                            x,
                            dy,
                            w.tensor(),
                            dw,
                            () -> math.weightGradient(bench.queue(), dy, x, dw));
                    w.requireUntouched();
                }
            }
        }
    }

    @Clause(
            value =
                    "No operand is larger or smaller than before as a whole: rounding has errors of either sign, so they add up to next to nothing",
            remedy =
                    "factors and scales of quantized operands: what GEMMs multiply must be the operand, rounded to nearest or stochastically")
    default void operandsKeepTheirSize(Bench bench) {
        for (LinearShape shape : Layers.supported(this, bench)) {
            try (var trial = LinearTrial.unchecked(bench, this, shape)) {
                Guarded w = trial.prepare(1);
                for (LinearProduct product : LinearProduct.values()) {
                    for (Operand operand : List.of(product.left(), product.right())) {
                        Tensor from = switch (operand) {
                            case INPUT -> trial.input(TOKENS).tensor();
                            case WEIGHT -> w.tensor();
                            case OUTPUT_GRADIENT -> trial.outputGradient(TOKENS).tensor();
                        };
                        requireSize(bench, trial, product, operand, from);
                    }
                }
            }
        }
    }

    private static void requireSize(
            Bench bench, LinearTrial trial, LinearProduct product, Operand operand, Tensor from) {
        try (MultipliedOperand multiplied = multiplied(bench, trial, product, operand, from, from, from);
                var original = new DeviceRows(bench.device(), bench.queue(), from);
                var values = DeviceRows.of(bench.device(), bench.queue(), multiplied)) {
            boolean transposed = multiplied.contractedLast() != product.contractsLast(operand);
            OperandError error = OperandError.of(original, values, transposed);
            Projection projection = error.projection();
            // Values of a coarse type may be stored in a finer one, E4M3 in FP32 for instance: of normally distributed
            // elements, rounded to
            // nearest, the projection is off by the square of the error, with a standard deviation of sqrt(3 / n) times
            // the error.
            double coarse = error.relative()
                    * (error.relative()
                            + Projection.ALLOWED * Math.sqrt(3.0 / from.shape().elements()));
            if (projection.share() > 1 && !(Math.abs(projection.factor() - 1) <= coarse)) {
                throw new AssertionError(operand + " " + from.shape() + " of " + product + " is " + projection.factor()
                        + " times as large as before; rounding explains " + projection.lowest() + " to "
                        + projection.highest());
            }
        }
    }

    private static void check(
            Bench bench,
            LinearTrial trial,
            LinearProduct product,
            Tensor x,
            Tensor dy,
            Tensor w,
            Tensor result,
            Runnable work) {
        boolean added = product == LinearProduct.WEIGHT_GRADIENT;
        ResultSums before = added ? DeviceProduct.sums(bench.device(), bench.queue(), result) : null;
        work.run();
        try (MultipliedOperand left = multiplied(bench, trial, product, product.left(), x, dy, w);
                MultipliedOperand right = multiplied(bench, trial, product, product.right(), x, dy, w);
                var made = new DeviceProduct(bench.device(), bench.queue(), left, right)) {
            ProductError error = added ? made.addedError(before, result) : made.error(result);
            if (error.isWrong()) {
                throw new AssertionError(product + " " + result.shape() + " is not the GEMM of its operands: " + error);
            }
        }
    }

    private static MultipliedOperand multiplied(
            Bench bench, LinearTrial trial, LinearProduct product, Operand operand, Tensor x, Tensor dy, Tensor w) {
        return operand == Operand.WEIGHT
                ? trial.math
                        .multiplied(product, trial.prepared())
                        .orElse(MultipliedOperand.stored(w, product.contractsLast(operand)))
                : trial.math.multiplied(bench.queue(), product, operand, operand == Operand.INPUT ? x : dy);
    }
}
