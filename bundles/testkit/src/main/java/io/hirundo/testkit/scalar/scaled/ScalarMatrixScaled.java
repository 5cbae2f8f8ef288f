package io.hirundo.testkit.scalar.scaled;

import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;

/** Per-tensor scaling by its formulas. */
public final class ScalarMatrixScaled implements MatrixScaledKernels {
    private static final Shape ONE = Shape.of(1);

    @Override
    public void maximum(Queue queue, Tensor x, Tensor amax1, boolean accumulate) {
        double[] values = ScalarMatrix.checked("x", x).values();
        ScalarTensor amax = ScalarScaled.fp32("amax1", amax1, ONE);
        double largest = accumulate ? amax.get(0) : 0;
        for (double value : values) {
            double magnitude = Math.abs(value);
            largest = magnitude > largest && magnitude < Double.POSITIVE_INFINITY ? magnitude : largest;
        }
        amax.set(0, largest);
    }

    @Override
    public void quantize(Queue queue, Tensor xMK, Tensor amax1, ScaleRule rule, ScaledMatrix rowsMK) {
        quantize("rowsMK", ScalarMatrix.of(xMK, rowsMK), amax1, rule);
    }

    @Override
    public void quantizeTransposed(Queue queue, Tensor xMK, Tensor amax1, ScaleRule rule, ScaledMatrix columnsKM) {
        quantize("columnsKM", ScalarMatrix.transposed(xMK, columnsKM), amax1, rule);
    }

    private static void quantize(String operand, ScalarMatrix x, Tensor amax1, ScaleRule rule) {
        float[] amaxes = {(float) ScalarScaled.fp32("amax1", amax1, ONE).get(0)};
        x.result().requireBlock(operand, ScaleBlock.MATRIX).quantize(x.values(), x.dtype(), amaxes, rule);
    }
}
