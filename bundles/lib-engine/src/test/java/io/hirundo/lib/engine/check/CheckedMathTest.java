package io.hirundo.lib.engine.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.precision.Contraction;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedOperand;
import io.hirundo.precision.PackedProducts;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** FP8 GEMMs that are checked while they run. */
class CheckedMathTest {
    private static final int OUTPUTS = 128;
    private static final int INPUTS = 256;
    private static final int TOKENS = 128;

    private final Bench bench = Bench.open(new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR)));
    private final Random random = new Random(1);
    private final Tensor wNK = random(DType.FP32, OUTPUTS, INPUTS);
    private final Tensor xTK = random(DType.BF16, TOKENS, INPUTS);
    private final Tensor dyTN = random(DType.BF16, TOKENS, OUTPUTS);
    private final Tensor yTN = bench.tensor(DType.BF16, TOKENS, OUTPUTS);
    private final Tensor dwNK = bench.tensor(DType.FP32, i -> 0, OUTPUTS, INPUTS);
    private final LinearMath math = new Fp8BlockwiseFactory()
            .create(new Fp8BlockwiseOptions())
            .bind(bench.device(), new LinearShape("w", OUTPUTS, INPUTS));
    private final ProductChecks checks =
            new ProductChecks(bench.device(), bench.queue(), new ProductFailure.Layer("w", Shape.of(OUTPUTS, INPUTS)));
    private final PreparedWeight prepared = math.prepare(bench.queue(), wNK, null);

    @AfterEach
    void close() {
        prepared.close();
        math.close();
        bench.close();
    }

    private Tensor random(DType type, long rows, long columns) {
        return bench.tensor(type, i -> random.nextGaussian(), rows, columns);
    }

    private CheckedMath checked(LinearMath products) {
        return new CheckedMath(products, checks, () -> wNK);
    }

    private static void requireSound(LayerErrors errors, LinearProduct product) {
        LayerErrors.Found found = errors.products().get(product);
        assertFalse(found.arithmetic().isWrong(), errors::toString);
        assertTrue(
                found.rounding().error() > 0.01
                        && found.rounding().error() < found.rounding().largest(),
                errors::toString);
        assertEquals("", errors.failure());
        assertFalse(errors.unchecked());
    }

    @Test
    void separatesQuantizationErrorFromWrongArithmetic() {
        CheckedMath checked = checked(math);
        checked.forward(bench.queue(), xTK, prepared, yTN);
        checked.weightGradient(bench.queue(), dyTN, xTK, dwNK);
        requireSound(checks.errors(), LinearProduct.OUTPUT);
        requireSound(checks.errors(), LinearProduct.WEIGHT_GRADIENT);
    }

    /** Only x is quantized here. */
    @Test
    void measuresQuantizationErrorOnTheRankThatPacks() {
        CheckedMath checked = checked(math);
        PackedProducts packed = checked.packed().orElseThrow();
        for (Contraction over : Contraction.values()) {
            try (PackedOperand x = packed.allocate(Operand.INPUT, over, TOKENS, 1)) {
                packed.pack(bench.queue(), Operand.INPUT, over, xTK, x);
            }
        }
        requireSound(checks.errors(), LinearProduct.OUTPUT);
        requireSound(checks.errors(), LinearProduct.WEIGHT_GRADIENT);
    }

    @Test
    void checksGemmsOfPackedOperands() {
        CheckedMath checked = checked(math);
        PackedProducts packed = checked.packed().orElseThrow();
        try (PackedOperand x = packed.allocate(Operand.INPUT, Contraction.FEATURES, TOKENS, 1)) {
            packed.pack(bench.queue(), Operand.INPUT, Contraction.FEATURES, xTK, x);
            packed.forward(bench.queue(), x, prepared, yTN);
        }
        requireSound(checks.errors(), LinearProduct.OUTPUT);
    }

    @Test
    void addsTheQuantizationErrorOfWeightsThatWereGatheredQuantized() {
        new CheckedMath(math, checks, () -> null).forward(bench.queue(), xTK, prepared, yTN);
        double ofActivations =
                checks.errors().products().get(LinearProduct.OUTPUT).rounding().error();
        checks.weight(LinearProduct.OUTPUT, CheckedMath.weight(math, () -> wNK, LinearProduct.OUTPUT, prepared));
        requireSound(checks.errors(), LinearProduct.OUTPUT);
        assertTrue(
                checks.errors().products().get(LinearProduct.OUTPUT).rounding().error() > 1.2 * ofActivations);
    }

    /** An exception here would end the step, and other ranks would wait for its collectives. */
    @Test
    void recordsAnExceptionAndStopsChecking() {
        CheckedMath checked = checked(math);
        Tensor tooNarrow = bench.tensor(DType.BF16, TOKENS, OUTPUTS - 1);
        checked.forward(bench.queue(), xTK, prepared, tooNarrow);
        checked.weightGradient(bench.queue(), dyTN, xTK, dwNK);
        LayerErrors errors = checks.errors();
        String where = "it failed at the output of w (128 tokens, " + OUTPUTS + " outputs, " + INPUTS + " inputs): ";
        assertTrue(errors.failure().startsWith(where), errors::toString);
        assertTrue(errors.products().isEmpty(), errors::toString);
    }
}
