package io.hirundo.devicemeta.internal.kernel.scaled;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.kernel.scaled.MetaBlockScaled.Scaled;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Per-tensor scaling: one operation per compared element, and one per quantized element. */
public record MetaMatrixScaled(Work work) implements MatrixScaledKernels {
    @Override
    public void maximum(Queue queue, Tensor x, Tensor amax1, boolean accumulate) {
        MetaTensor values = MetaTensor.CHECK.of("x", x, DType.FP32, DType.BF16);
        MetaTensor amax = MetaTensor.CHECK.vector("amax1", amax1, 1, DType.FP32);
        work.book(queue, "matrixScaled.maximum", values.elements(), values, amax);
    }

    @Override
    public void quantize(Queue queue, Tensor xMK, Tensor amax1, ScaleRule rule, ScaledMatrix rowsMK) {
        MetaTensor x = MetaTensor.CHECK.of("xMK", xMK, DType.FP32, DType.BF16);
        requireMatrix("rowsMK", rowsMK);
        Scaled result = Scaled.of("rowsMK", rowsMK, x.shape().rows(), x.shape().columns());
        book(queue, "matrixScaled.quantize", x, amax1, result);
    }

    @Override
    public void quantizeTransposed(Queue queue, Tensor xMK, Tensor amax1, ScaleRule rule, ScaledMatrix columnsKM) {
        MetaTensor x = MetaTensor.CHECK.of("xMK", xMK, DType.FP32, DType.BF16);
        requireMatrix("columnsKM", columnsKM);
        Scaled result =
                Scaled.of("columnsKM", columnsKM, x.shape().columns(), x.shape().rows());
        book(queue, "matrixScaled.quantizeTransposed", x, amax1, result);
    }

    private void book(Queue queue, String kernel, MetaTensor x, Tensor amax1, Scaled result) {
        MetaTensor amax = MetaTensor.CHECK.vector("amax1", amax1, 1, DType.FP32);
        work.book(queue, kernel, x.elements(), x, amax, result.codes(), result.inverseScales());
    }

    private static void requireMatrix(String operand, ScaledMatrix matrix) {
        if (matrix.block() != ScaleBlock.MATRIX) {
            throw new IllegalArgumentException(
                    operand + " has scales for " + matrix.block() + ", needed are those for " + ScaleBlock.MATRIX);
        }
    }
}
