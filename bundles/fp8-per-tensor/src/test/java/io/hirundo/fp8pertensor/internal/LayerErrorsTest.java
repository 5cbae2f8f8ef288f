package io.hirundo.fp8pertensor.internal;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.fp8pertensor.internal.LayerErrors.Errors;
import io.hirundo.precision.PrecisionStrategy;
import java.util.function.LongToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What outliers do to the products of a layer under each strategy; {@code benchmarks/layer-errors} has a large one. */
class LayerErrorsTest {
    private static final int OUTPUTS = 128;
    private static final int INPUTS = 1024;
    private static final int TOKENS = 128;
    private static final PrecisionStrategy BLOCKWISE = new Fp8BlockwiseFactory().create(new Fp8BlockwiseOptions());
    private static final PrecisionStrategy CURRENT = new Fp8CurrentFactory().create(new Fp8CurrentOptions());
    private static final PrecisionStrategy DELAYED = new Fp8DelayedFactory().create(new Fp8DelayedOptions());

    /** Inputs of the layer. */
    enum Input {
        NORMAL(LayerErrors.normal(2, 1), false),
        /** One channel is of 1e4, the others of 0.01. */
        OUTLIER_CHANNEL(i -> LayerErrors.normal(2, 1).applyAsDouble(i) * (i % INPUTS == 100 ? 1e4 : 0.01), true),
        /** A channel of few tokens is of 1e6, all else of 1. */
        MASSIVE(LayerErrors.massive(INPUTS, 1e6), true),
        /** Far smaller than any 8-bit float. */
        TINY(LayerErrors.normal(2, 0x1p-100), false),
        EQUAL(i -> 0.3, false);

        private final LongToDoubleFunction x;
        private final boolean perTensorFails;

        Input(LongToDoubleFunction x, boolean perTensorFails) {
            this.x = x;
            this.perTensorFails = perTensorFails;
        }
    }

    @ParameterizedTest
    @EnumSource
    void blocksBoundTheError(Input input) {
        try (var layer = new LayerErrors(1, OUTPUTS, INPUTS, TOKENS, input.x)) {
            Errors blockwise = layer.of(BLOCKWISE, null);
            Errors current = layer.of(CURRENT, null);
            Errors delayed = layer.of(DELAYED, input.x);
            String all = "blockwise " + blockwise + ", current " + current + ", delayed " + delayed;
            assertTrue(blockwise.weightGradient() < 0.06 && blockwise.inputGradient() < 0.06, all);
            // The channel shares its block in every row.
            assertTrue(input == Input.OUTLIER_CHANNEL || blockwise.output() < 0.06, all);
            for (Errors perTensor : new Errors[] {current, delayed}) {
                assertTrue(perTensor.inputGradient() < 0.09, all);
                assertTrue(
                        input.perTensorFails ? perTensor.weightGradient() > 0.5 : perTensor.weightGradient() < 0.09,
                        all);
            }
        }
    }

    /** What the steps before did not have is cut off: the scale is for what they had. */
    @Test
    void delayedScalesSaturateOnNewOutliers() {
        LongToDoubleFunction tenfold =
                i -> (i / INPUTS == 7 ? 100 : 1) * LayerErrors.normal(2, 1).applyAsDouble(i);
        try (var layer = new LayerErrors(1, OUTPUTS, INPUTS, 16, tenfold)) {
            double known = layer.of(DELAYED, tenfold).weightGradient();
            double unknown = layer.of(DELAYED, LayerErrors.normal(2, 1)).weightGradient();
            assertTrue(known < 0.2 && unknown > 0.5, known + " and " + unknown);
        }
    }
}
