package io.hirundo.testkit.precision;

import io.hirundo.lib.oracle.gemm.DeviceGemm;
import io.hirundo.lib.oracle.gemm.GemmError;
import io.hirundo.lib.oracle.gemm.OperandError;
import io.hirundo.lib.oracle.gemm.ResultSums;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.Guarded;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Compares GEMMs with FP64 sums over the operands as they were multiplied, so that quantization of operands excuses no error. */
public interface ArithmeticClauses extends PrecisionOffer {
    @Clause(
            value =
                    "Each GEMM is that of the operands that multiplied() returns, up to rounding of its sums and its result",
            remedy = "LinearMath.multiplied(): quantized values for the requested GEMM, and their orientation; then the"
                    + " GEMM itself: scales, edges, an operand that was quantized another time")
    default void productsAreOfWhatIsMultiplied(Bench bench) {
        for (LinearShape shape : Layers.supported(this, bench)) {
            try (var fixture = LinearFixture.unchecked(bench, this, shape)) {
                for (int tokens : List.of(33, 65)) {
                    Guarded w = fixture.prepare(tokens);
                    Tensor x = fixture.input(tokens).tensor();
                    Tensor dy = fixture.outputGradient(tokens).tensor();
                    Tensor y = fixture.output(tokens).tensor();
                    Tensor dx = bench.tensor(strategy().activationType(), tokens, shape.inputs());
                    Tensor dw = bench.tensor(
                            Parameter.updateType(strategy().parameterType()),
                            i -> i % 7 - 3,
                            shape.outputs(),
                            shape.inputs());
                    LinearMath math = fixture.math;
                    check(
                            bench,
                            fixture,
                            LinearProduct.OUTPUT,
                            x,
                            null,
                            w.tensor(),
                            y,
                            () -> math.forward(bench.queue(), x, fixture.prepared(), y));
                    check(
                            bench,
                            fixture,
                            LinearProduct.INPUT_GRADIENT,
                            null,
                            dy,
                            w.tensor(),
                            dx,
                            () -> math.inputGradient(bench.queue(), dy, fixture.prepared(), dx));
                    check(
                            bench,
                            fixture,
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
            RoundedOperand.of(this, bench, shape).forEach(RoundedOperand::requireSize);
        }
    }

    @Clause(
            value =
                    "operandTypes() are the types of the operands that GEMMs multiply: none is coarser, none is missing, and the coarsest is among them",
            remedy =
                    "operandTypes(): the types that LinearMath.multiplied() returns, of all layers together; values that are"
                            + " rounded to a coarser type than the one that holds them count as that type")
    default void operandTypesAreMultiplied(Bench bench) {
        Set<DType> declared = strategy().operandTypes();
        List<RoundedOperand> operands = Layers.supported(this, bench).stream()
                .flatMap(shape -> RoundedOperand.of(this, bench, shape).stream())
                .toList();
        DType coarsest = Collections.max(declared, Comparator.comparingDouble(OperandError::largest));
        for (RoundedOperand each : operands) {
            if (!each.isExplainedBy(coarsest)) {
                throw new AssertionError(each + " is rounded more coarsely than " + coarsest
                        + ", the coarsest of operandTypes() " + declared);
            }
            if (!declared.contains(each.type())
                    && operands.stream()
                            .filter(each::isSameOperand)
                            .noneMatch(same -> declared.stream().anyMatch(same::isRoundedTo))) {
                throw new AssertionError(
                        each + " is multiplied in " + each.type() + ", which operandTypes() " + declared + " lacks");
            }
        }
        if (operands.stream().noneMatch(each -> each.type() == coarsest || each.isRoundedTo(coarsest))) {
            throw new AssertionError(
                    "operandTypes() " + declared + " has " + coarsest + ", but no operand is as coarse: " + operands);
        }
    }

    private static void check(
            Bench bench,
            LinearFixture fixture,
            LinearProduct product,
            Tensor x,
            Tensor dy,
            Tensor w,
            Tensor result,
            Runnable work) {
        boolean added = product == LinearProduct.WEIGHT_GRADIENT;
        ResultSums before = added ? DeviceGemm.sums(bench.device(), bench.queue(), result) : null;
        work.run();
        try (MultipliedOperand left = fixture.multiplied(product, product.left(), x, dy, w);
                MultipliedOperand right = fixture.multiplied(product, product.right(), x, dy, w);
                var made = new DeviceGemm(bench.device(), bench.queue(), left, right)) {
            GemmError error = added ? made.addedError(before, result) : made.error(result);
            if (error.isWrong()) {
                throw new AssertionError(product + " " + result.shape() + " is not the GEMM of its operands: " + error);
            }
        }
    }
}
